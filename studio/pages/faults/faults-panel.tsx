import { useState } from 'preact/hooks';
import { control } from '../../data/api.ts';
import { usePolled } from '../../data/polled.ts';
import { tableNames } from '../../data/tables.ts';
import { Button, IconButton } from '../../parts/buttons.tsx';
import { plural } from '../../parts/format.ts';
import { Notice } from '../../parts/states.tsx';
import { useAction } from './run-action.ts';

interface Fault {
  readonly id: number | string;
  readonly error: string;
  readonly operation?: string;
  readonly table?: string;
  readonly key?: Readonly<Record<string, unknown>>;
  readonly times?: number;
  readonly afterwards?: boolean;
}

const errors = [
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'InternalServerError',
  'TransactionConflictException',
  'RequestLimitExceeded',
  'TransactionInProgressException',
] as const;

const operations = [
  ...['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan', 'BatchGetItem', 'BatchWriteItem'],
  ...['TransactWriteItems', 'TransactGetItems', 'ExecuteStatement', 'GetRecords'],
];

/** Makes the next requests fail on purpose, in the service's words. */
export function FaultsPanel() {
  const {
    value,
    error: unread,
    refresh,
  } = usePolled('faults', 2_000, (signal) =>
    control<{ faults: readonly Fault[] }>('GET', 'faults', undefined, signal),
  );
  const { isRunning, error, run } = useAction();
  const [wanted, setWanted] = useState({
    ...{ error: errors[0] as string, operation: '', table: '', key: '', times: '1', afterwards: false },
  });
  const change = (patch: Partial<typeof wanted>) => setWanted({ ...wanted, ...patch });
  const arm = () =>
    run(async () => {
      await control('POST', 'faults', {
        error: wanted.error,
        times: Number(wanted.times),
        ...(wanted.operation !== '' && { operation: wanted.operation }),
        ...(wanted.table !== '' && { table: wanted.table }),
        ...(wanted.key.trim() !== '' && { key: JSON.parse(wanted.key) as object }),
        ...(wanted.afterwards && { afterwards: true }),
      });
      refresh();
    });
  const remove = (path: string) =>
    run(async () => {
      await control('DELETE', path);
      refresh();
    });
  const faults = value?.faults ?? [];
  return (
    <section class="panel" aria-labelledby="faults-title">
      <h2 id="faults-title">Faults</h2>
      <p class="soft">The next matching requests fail, so that you see what your program does about it.</p>
      <form
        class="fault-form"
        onSubmit={(event) => {
          event.preventDefault();
          arm();
        }}
      >
        <label class="labelled wide">
          Error
          <select
            class="field"
            value={wanted.error}
            onChange={(event) => change({ error: event.currentTarget.value })}
          >
            {errors.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label class="labelled">
          Table
          <select
            class="field"
            value={wanted.table}
            onChange={(event) => change({ table: event.currentTarget.value })}
          >
            <option value="">any</option>
            {tableNames.value?.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label class="labelled">
          Operation
          <select
            class="field"
            value={wanted.operation}
            onChange={(event) => change({ operation: event.currentTarget.value })}
          >
            <option value="">any</option>
            {operations.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label class="labelled">
          Key, as DynamoDB JSON
          <input
            class="field mono"
            placeholder='{"pk": {"S": "o-1"}}'
            value={wanted.key}
            onInput={(event) => change({ key: event.currentTarget.value })}
          />
        </label>
        <label class="labelled">
          How many requests
          <input
            class="field"
            type="number"
            min="1"
            max="100000"
            value={wanted.times}
            onInput={(event) => change({ times: event.currentTarget.value })}
          />
        </label>
        <label class="row wide">
          <input
            type="checkbox"
            checked={wanted.afterwards}
            onChange={(event) => change({ afterwards: event.currentTarget.checked })}
          />
          Do the work and lose only the answer
        </label>
        <div class="row wide">
          <Button submits kind="primary" disabled={isRunning}>
            Arm
          </Button>
          {faults.length > 0 ? (
            <Button kind="plain" onClick={() => remove('faults')}>
              Remove all
            </Button>
          ) : null}
        </div>
      </form>
      {error ? <Notice>{error}</Notice> : unread ? <Notice kind="">{unread}</Notice> : null}
      {faults.length > 0 ? (
        <ul class="armed" aria-label="Armed faults">
          {faults.map((fault) => (
            <li key={fault.id} class="row">
              <span class="badge red">{plural(fault.times ?? 1, 'request')}</span>
              <span class="grow cut">
                {fault.error}
                <span class="soft">
                  {' '}
                  {fault.operation ?? 'any operation'} on {fault.table ?? 'any table'}
                  {fault.key ? ` ${JSON.stringify(fault.key)}` : ''}
                  {fault.afterwards ? ', after the work' : ''}
                </span>
              </span>
              <IconButton
                icon="close"
                label="Remove the fault"
                onClick={() => remove(`faults/${fault.id}`)}
              />
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}
