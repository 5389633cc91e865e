import { control } from '../../data/api.ts';
import { usePolled } from '../../data/polled.ts';
import { refreshTables } from '../../data/tables.ts';
import { Button } from '../../parts/buttons.tsx';
import { plural } from '../../parts/format.ts';
import { Notice } from '../../parts/states.tsx';
import { toast } from '../../shell/toast.ts';
import { useAction } from './run-action.ts';

/** A snapshot of the whole database, to come back to. */
export function SnapshotPanel() {
  const {
    value,
    error: unread,
    refresh,
  } = usePolled('namespaces', 3_000, (signal) =>
    control<{ namespaces: readonly string[]; snapshot: boolean }>('GET', 'namespaces', undefined, signal),
  );
  const { isRunning, error, run } = useAction();
  const act = (path: string, said: string) =>
    run(async () => {
      await control('POST', path);
      toast(said);
      refresh();
      await refreshTables();
    });
  return (
    <section class="panel" aria-labelledby="snapshot-title">
      <h2 id="snapshot-title">Snapshot and reset</h2>
      <p class="soft">
        A snapshot keeps all tables and items of this moment. A reset brings them back, and drops whatever
        came after.
      </p>
      <div class="row">
        <Button disabled={isRunning} onClick={() => act('snapshot', 'Snapshot taken')}>
          Take a snapshot
        </Button>
        <Button
          kind="danger"
          disabled={isRunning || value?.snapshot !== true}
          onClick={() => act('reset', 'The database is as it was')}
        >
          Reset to it
        </Button>
        <span class="soft small">
          {value === undefined ? '' : value.snapshot ? 'There is a snapshot.' : 'There is no snapshot yet.'}
          {value && value.namespaces.length > 0 ? ` ${plural(value.namespaces.length, 'namespace')}.` : ''}
        </span>
      </div>
      {error ? <Notice>{error}</Notice> : unread ? <Notice kind="">{unread}</Notice> : null}
    </section>
  );
}
