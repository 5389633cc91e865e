import { recommendedAlarms } from '../../../src/observe/alarms/recommended-alarms.ts';
import { allAlarms, cloudWatch, type MetricAlarm } from '../../data/cloudwatch.ts';
import { usePolled } from '../../data/polled.ts';
import type { TableDescription } from '../../data/tables.ts';
import { Button, IconButton } from '../../parts/buttons.tsx';
import { ago, plural } from '../../parts/format.ts';
import { Notice } from '../../parts/states.tsx';
import { toast } from '../../shell/toast.ts';
import { useAction } from '../faults/run-action.ts';

const words = { OK: 'ok', ALARM: 'alarm', INSUFFICIENT_DATA: 'no data yet' } as const;

/** The alarms on a table, and one click for those that every table should have. */
export function AlarmList({ table }: { readonly table: TableDescription }) {
  const { value, error: unread, refresh } = usePolled(`alarms ${table.TableName}`, 5_000, allAlarms);
  const { isRunning, error, run } = useAction();
  const own = value?.filter((alarm) => isOf(alarm, table.TableName)) ?? [];
  const missing = recommendedAlarms({
    tableName: table.TableName,
    indexNames: table.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName) ?? [],
    provisioned:
      table.BillingModeSummary?.BillingMode === 'PAY_PER_REQUEST' || !table.ProvisionedThroughput
        ? undefined
        : {
            read: table.ProvisionedThroughput.ReadCapacityUnits,
            write: table.ProvisionedThroughput.WriteCapacityUnits,
          },
  }).filter(({ AlarmName }) => !own.some((alarm) => alarm.AlarmName === AlarmName));
  const install = () =>
    run(async () => {
      for (const alarm of missing) await cloudWatch('PutMetricAlarm', alarm);
      toast(`${plural(missing.length, 'alarm')} installed`);
      refresh();
    });
  const remove = (name: string) =>
    run(async () => {
      await cloudWatch('DeleteAlarms', { AlarmNames: [name] });
      refresh();
    });
  const firing = own.filter(({ StateValue }) => StateValue === 'ALARM');
  const quiet = own.filter(({ StateValue }) => StateValue !== 'ALARM');
  return (
    <section class="column">
      <div class="row">
        <h2 class="grow">{value === undefined ? 'Alarms' : plural(own.length, 'alarm')}</h2>
        {value !== undefined && missing.length > 0 ? (
          <Button icon="plus" disabled={isRunning} onClick={install}>
            Install {plural(missing.length, 'recommended alarm')}
          </Button>
        ) : null}
      </div>
      {error ? <Notice>{error}</Notice> : unread ? <Notice kind="">{unread}</Notice> : null}
      {firing.length > 0 ? <Alarms alarms={firing} onDelete={remove} /> : null}
      {quiet.length > 0 ? (
        <details>
          <summary class="soft">
            {firing.length === 0 ? 'None is firing. ' : ''}
            {plural(quiet.length, 'quiet alarm')}
          </summary>
          <Alarms alarms={quiet} onDelete={remove} />
        </details>
      ) : null}
    </section>
  );
}

function Alarms({
  alarms,
  onDelete,
}: {
  readonly alarms: readonly MetricAlarm[];
  readonly onDelete: (name: string) => void;
}) {
  return (
    <ul class="alarms">
      {alarms.map((alarm) => (
        <li key={alarm.AlarmName} class="row" title={alarm.StateReason}>
          <span
            class={`badge ${alarm.StateValue === 'ALARM' ? 'red' : alarm.StateValue === 'OK' ? '' : 'amber'}`}
          >
            {words[alarm.StateValue]}
          </span>
          <span class="cut alarm-name">{alarm.AlarmName}</span>
          <span class="cut grow small soft">
            {alarm.StateValue === 'ALARM' ? alarm.StateReason : alarm.AlarmDescription}
          </span>
          <span class="small faint">{changedAgo(alarm)}</span>
          <IconButton
            icon="trash"
            label={`Delete the alarm ${alarm.AlarmName}`}
            onClick={() => onDelete(alarm.AlarmName)}
          />
        </li>
      ))}
    </ul>
  );
}

function isOf({ Dimensions = [] }: MetricAlarm, table: string): boolean {
  return Dimensions.some(({ Name, Value }) => Name === 'TableName' && Value === table);
}

function changedAgo({ StateUpdatedTimestamp: at }: MetricAlarm): string {
  return at === undefined ? '' : ago(Date.now() - at * 1000);
}
