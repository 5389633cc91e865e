import { control } from '../../data/api.ts';
import { region } from '../../data/connection.ts';
import type { Mode } from '../../data/physics.ts';
import { usePolled } from '../../data/polled.ts';
import { tableNames } from '../../data/tables.ts';
import { Notice, SkeletonRows } from '../../parts/states.tsx';
import { href } from '../../shell/router.ts';
import { useAction } from './run-action.ts';

interface ServerPhysics {
  readonly mode: Mode;
  readonly effects: Readonly<Record<string, boolean>>;
  readonly tables: readonly { readonly table: string; readonly region: string; readonly mode: Mode }[];
}

const modes: readonly (readonly [Mode, string])[] = [
  ['off', 'Nothing is modelled'],
  ['shadow', 'Clients see nothing; what AWS would refuse is kept'],
  ['enforce', 'Clients are throttled and see lag, as on AWS'],
];

/** What of the service's physics is acted out: for the server, effect by effect, and for single tables. */
export function PhysicsPanel() {
  const {
    value,
    error: unread,
    refresh,
  } = usePolled('physics', 3_000, (signal) => control<ServerPhysics>('GET', 'physics', undefined, signal));
  const { isRunning, error, run } = useAction();
  const set = (path: string, body: object | undefined) =>
    run(async () => {
      if (body === undefined) await control('DELETE', path);
      else await control('POST', path, body);
      refresh();
    });
  if (value === undefined)
    return (
      <section class="panel" aria-labelledby="physics-title">
        <h2 id="physics-title">Physics</h2>
        {unread ? <Notice kind="">{unread}</Notice> : <SkeletonRows rows={4} />}
      </section>
    );
  const tablePath = (table: string) =>
    `physics/${encodeURIComponent(table)}?region=${encodeURIComponent(region.value)}`;
  const modeOf = (table: string) =>
    value.tables.find((each) => each.table === table && each.region === region.value)?.mode ?? value.mode;
  return (
    <section class="panel" aria-labelledby="physics-title">
      <h2 id="physics-title">Physics</h2>
      <fieldset class="modes" disabled={isRunning}>
        <legend class="unseen">Mode of the server</legend>
        {modes.map(([mode, about]) => (
          <label key={mode} class={mode === value.mode ? 'mode chosen' : 'mode'}>
            <input
              type="radio"
              name="mode"
              checked={mode === value.mode}
              onChange={() => set('physics', { mode })}
            />
            <span>
              <strong>{mode}</strong>
              <span class="small soft">{about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {value.mode === 'off' ? null : (
        <fieldset class="effects" disabled={isRunning}>
          <legend>Effects{value.mode === 'shadow' ? ', when they are enforced' : ''}</legend>
          {Object.entries(value.effects).map(([effect, isOn]) => (
            <label key={effect} class="row">
              <input
                type="checkbox"
                checked={isOn}
                onChange={(event) => set('physics', { effects: { [effect]: event.currentTarget.checked } })}
              />
              {inWords(effect)}
            </label>
          ))}
        </fieldset>
      )}
      {tableNames.value && tableNames.value.length > 0 ? (
        <table class="list compact">
          <thead>
            <tr>
              <th scope="col">Table</th>
              <th scope="col">Mode</th>
            </tr>
          </thead>
          <tbody>
            {tableNames.value.slice(0, 50).map((table) => (
              <tr key={table}>
                <td>
                  <a href={href(table, 'partitions')}>{table}</a>
                </td>
                <td>
                  <select
                    class="field"
                    aria-label={`Physics of ${table}`}
                    disabled={isRunning}
                    value={modeOf(table)}
                    onChange={({ currentTarget: { value: mode } }) =>
                      set(tablePath(table), mode === 'server' ? undefined : { mode })
                    }
                  >
                    {modes.map(([mode]) => (
                      <option key={mode}>{mode}</option>
                    ))}
                    <option value="server">as the server</option>
                  </select>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {error ? <Notice>{error}</Notice> : null}
    </section>
  );
}

/** `timeToLiveDelay` → `time to live delay`. */
function inWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
