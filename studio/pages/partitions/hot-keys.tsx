import type { ResourceDescription } from '../../data/physics.ts';
import { count, units } from '../../parts/format.ts';
import { type Access, ceilingOf } from './heat.ts';

/** The keys that asked for most, against what one partition gives: a key cannot have more than that. */
export function HotKeys({
  resource,
  access,
}: {
  readonly resource: ResourceDescription;
  readonly access: Access;
}) {
  const ceiling = ceilingOf(access);
  const keys = resource.hotKeys
    .map((key) => ({
      ...key,
      // A key that is quiet now still shows what it took in the last minute with any.
      perSecond: Math.max(
        access === 'write' ? key.writeAsked : key.readAsked,
        (access === 'write' ? key.writeUnits : key.readUnits) / 60,
      ),
    }))
    // The model learns the name of a key only when the key takes a share worth naming.
    .filter(({ perSecond, name }) => perSecond > (name === undefined ? ceiling / 100 : 0))
    .sort((a, b) => b.perSecond - a.perSecond)
    .slice(0, 10);
  if (keys.length === 0)
    return <p class="soft">No key takes a noticeable share of what a partition gives.</p>;
  const top = Math.max(ceiling, keys[0]!.perSecond);
  return (
    <ol class="hot-keys">
      {keys.map(({ place, name, perSecond, refused }) => (
        <li key={place}>
          <span class="mono cut" title={name}>
            {name ?? <span class="faint">a key not named yet</span>}
          </span>
          <span class="hot-bar" aria-hidden="true">
            <span
              class={perSecond > ceiling ? 'over' : perSecond > 0.7 * ceiling ? 'hot' : ''}
              style={{ width: `${(perSecond / top) * 100}%` }}
            />
            <i style={{ left: `${(ceiling / top) * 100}%` }} />
          </span>
          <span class="number">{units(perSecond)}/s</span>
          <span class="number small red">{refused > 0 ? `${count(refused)} throttled` : ''}</span>
        </li>
      ))}
    </ol>
  );
}
