import { useState } from 'preact/hooks';
import { control } from '../../data/api.ts';
import { serverClock } from '../../data/physics.ts';
import { usePolled } from '../../data/polled.ts';
import { refreshTables } from '../../data/tables.ts';
import { Button } from '../../parts/buttons.tsx';
import { Notice, Skeleton } from '../../parts/states.tsx';
import { useAction } from './run-action.ts';

const steps = [
  ['1 s', 1_000],
  ['1 min', 60_000],
  ['1 h', 3_600_000],
  ['1 day', 86_400_000],
  ['30 days', 30 * 86_400_000],
] as const;

/** The database's clock. One that is moved by hand shows what time does: expiry, iterators, balances, alarms. */
export function ClockPanel() {
  const { value: clock, refresh } = usePolled('clock', 1_000, serverClock);
  const { isRunning, error, run } = useAction();
  const [target, setTarget] = useState('');
  const move = (body: object) =>
    run(async () => {
      await control('POST', 'clock', body);
      refresh();
      await refreshTables();
    });
  return (
    <section class="panel" aria-labelledby="clock-title">
      <h2 id="clock-title">Clock</h2>
      <p class="clock mono" role="timer">
        {clock ? clock.now.replace('T', ' ').replace(/\.\d+Z$/, ' UTC') : <Skeleton width={180} />}
      </p>
      {clock === undefined ? null : clock.virtual ? (
        <>
          <p class="soft">The clock is virtual: it stands still until somebody moves it.</p>
          <div class="row wraps">
            {steps.map(([text, ms]) => (
              <Button key={text} disabled={isRunning} onClick={() => move({ advanceMs: ms })}>
                + {text}
              </Button>
            ))}
          </div>
          <form
            class="row"
            onSubmit={(event) => {
              event.preventDefault();
              const ms = Date.parse(`${target}Z`);
              if (!Number.isNaN(ms)) move({ setMs: ms });
            }}
          >
            <label class="labelled grow">
              Set the clock (UTC)
              <input
                class="field"
                type="datetime-local"
                step="1"
                value={target}
                onInput={(event) => setTarget(event.currentTarget.value)}
              />
            </label>
            <Button submits disabled={isRunning || target === ''}>
              Set
            </Button>
          </form>
        </>
      ) : (
        <p class="soft">
          This database follows the system's clock. Start it with <code>--in-memory --clock virtual</code> to
          move the time by hand and watch Time to Live, iterators and balances follow.
        </p>
      )}
      {error ? <Notice>{error}</Notice> : null}
    </section>
  );
}
