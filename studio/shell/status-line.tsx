import { about, credentials, region, serverState } from '../data/connection.ts';
import { liveSource, liveTotals } from '../data/live.ts';
import { stagedChanges } from '../data/staged.ts';
import { count, plural, shortCount } from '../parts/format.ts';
import { modName, useKeys } from './keyboard.ts';
import { openDialog } from './open-dialog.ts';
import { theme } from './preferences.ts';

const nextTheme = { system: 'light', light: 'dark', dark: 'system' } as const;

/** Always there: what is staged, what is live. */
export function StatusLine() {
  const staged = stagedChanges.value.size;
  useKeys({ 'Mod+Enter': () => (stagedChanges.value.size > 0 ? openDialog('review') : undefined) });
  return (
    <footer class="status">
      {staged > 0 ? (
        <button type="button" class="staged" onClick={() => openDialog('review')}>
          {plural(staged, 'change')} staged · review {modName} ⏎
        </button>
      ) : (
        <span class="faint">Nothing staged</span>
      )}
      <span class="spacer" />
      <Live />
      <button type="button" title="Region and credentials" onClick={() => openDialog('connection')}>
        {region.value}
        {credentials.value ? ` · ${credentials.value.accessKeyId}` : ''}
      </button>
      <button
        type="button"
        class="theme"
        title="Light, dark, or as the system"
        onClick={() => {
          theme.value = nextTheme[theme.value];
        }}
      >
        Theme: {theme.value}
      </button>
      <span class="faint version">{about.value ? `Stator ${about.value.version}` : ''}</span>
    </footer>
  );
}

function Live() {
  if (serverState.value === 'away') return <span class="red">● away</span>;
  if (liveSource.value === 'none') return null;
  const { requestsPerSecond, throttledPerSecond, shadow } = liveTotals.value;
  return (
    <span>
      {requestsPerSecond === undefined ? null : (
        <>
          live ● {shortCount(requestsPerSecond)} req/s ·{' '}
          <span class={throttledPerSecond > 0 ? 'red' : ''}>{count(throttledPerSecond)} throttled</span>
          {shadow > 0 ? ' · ' : ''}
        </>
      )}
      {shadow > 0 ? (
        <span class="amber">{count(shadow)} would have been throttled on AWS</span>
      ) : requestsPerSecond === undefined ? (
        'no throttles'
      ) : null}
    </span>
  );
}
