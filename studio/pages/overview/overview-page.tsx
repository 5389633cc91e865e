import { useState } from 'preact/hooks';
import { about, credentials, openAccessKey, region } from '../../data/connection.ts';
import { type Finding, useFindings } from '../../data/doctor.ts';
import { healthOf } from '../../data/health.ts';
import { type LiveTable, liveSource, liveTables } from '../../data/live.ts';
import {
  allIndexes,
  descriptions,
  refreshTables,
  type TableDescription,
  tableNames,
  tablesError,
} from '../../data/tables.ts';
import { Button, Snippet } from '../../parts/buttons.tsx';
import { DoctorFinding } from '../../parts/doctor-finding.tsx';
import { bytes, count, plural, shortCount, units } from '../../parts/format.ts';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Sparkline } from '../../parts/sparkline.tsx';
import { Empty, Notice, Skeleton } from '../../parts/states.tsx';
import { openDialog } from '../../shell/open-dialog.ts';
import { href } from '../../shell/router.ts';
import { ExampleButtons } from './example-buttons.tsx';

/** All tables at a glance, and how to connect to them. */
export default function OverviewPage() {
  const names = tableNames.value;
  if (tablesError.value !== undefined)
    return (
      <PageFrame padded>
        <Notice onRetry={() => void refreshTables()}>{tablesError.value}</Notice>
      </PageFrame>
    );
  if (names?.length === 0)
    return (
      <PageFrame padded>
        <FirstSteps />
      </PageFrame>
    );
  return (
    <PageFrame padded>
      <div class="column" style={{ gap: '32px', maxWidth: '1280px' }}>
        <Tables names={names} />
        <Findings />
        <section class="column">
          <h2>Connect</h2>
          <Connect />
        </section>
      </div>
    </PageFrame>
  );
}

/** What is wrong, worst first. Items are read only when somebody presses the button that says what it costs. */
function Findings() {
  const [budget, setBudget] = useState(0);
  const { value } = useFindings(undefined, budget);
  if (value === undefined) return null;
  const problems = value.filter(({ severity }) => severity !== 'note');
  const notes = value.filter(({ severity }) => severity === 'note');
  return (
    <section class="column">
      <div class="row">
        <h2 class="grow">
          What the doctor finds{' '}
          <span class="soft small">
            {problems.length === 0 ? 'nothing that hurts' : plural(problems.length, 'problem')}
          </span>
        </h2>
        {budget === 0 ? (
          <Button kind="plain" onClick={() => setBudget(10)}>
            Sample items · ≤ 10 RCU a table
          </Button>
        ) : null}
      </div>
      <FindingRows findings={problems} />
      {notes.length > 0 ? (
        <details>
          <summary class="soft">{plural(notes.length, 'note')}</summary>
          <FindingRows findings={notes} />
        </details>
      ) : null}
    </section>
  );
}

function FindingRows({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <div>
      {findings.slice(0, 50).map((one) => (
        <DoctorFinding
          key={`${one.id} ${one.table} ${one.index ?? ''} ${one.key ?? ''} ${one.pattern ?? ''}`}
          finding={one}
          table={one.table}
        />
      ))}
      {findings.length > 50 ? <p class="faint">and {count(findings.length - 50)} more</p> : null}
    </div>
  );
}

function Tables({ names }: { readonly names: readonly string[] | undefined }) {
  const isFed = liveSource.value === 'feed';
  return (
    <section class="column">
      <div class="row">
        <h2 class="grow">{names === undefined ? 'Tables' : plural(names.length, 'table')}</h2>
        <ExampleButtons small />
        <Button icon="plus" onClick={() => openDialog('create-table')}>
          Create table
        </Button>
      </div>
      <div class="room">
        <table class="list tables">
          <thead>
            <tr>
              <th scope="col">Table</th>
              <th scope="col" class="aside">
                Key
              </th>
              <th scope="col" class="number">
                Items
              </th>
              <th scope="col" class="number size">
                Size
              </th>
              <th scope="col" class="aside">
                Indexes
              </th>
              <th scope="col">{isFed ? 'Traffic, last 2 minutes' : 'Traffic, last hour'}</th>
              <th scope="col" class="capacity">
                Read capacity
              </th>
              <th scope="col" class="capacity">
                Write capacity
              </th>
              <th scope="col">Throttles</th>
            </tr>
          </thead>
          <tbody>
            {(names ?? ['', '', '']).map((name, i) => (
              <TableRow key={name === '' ? i : name} name={name} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function TableRow({ name }: { readonly name: string }) {
  const table = descriptions.value.get(name);
  const live = liveTables.value.get(name);
  if (name === '')
    return (
      <tr>
        <td colSpan={9}>
          <Skeleton width="60%" />
        </td>
      </tr>
    );
  const health = healthOf(name, table?.TableStatus);
  const last = live?.points.at(-1);
  return (
    <tr>
      <td>
        <span class="row">
          <span class={`health ${health.kind}`} />
          <a class="cut" href={href(name)}>
            {name}
          </a>
          {table && table.TableStatus !== 'ACTIVE' ? (
            <span class="badge accent">{table.TableStatus.toLowerCase()}</span>
          ) : null}
        </span>
      </td>
      <td class="mono soft cut aside">{table ? keyText(table) : <Skeleton />}</td>
      <td class="number">{table ? count(table.ItemCount) : <Skeleton width={32} />}</td>
      <td class="number size">{table ? bytes(table.TableSizeBytes) : <Skeleton width={40} />}</td>
      <td class="soft aside">{table ? indexText(table) : null}</td>
      <td>
        <Sparkline
          values={live?.points.map((point) => point.readUnits + point.writeUnits) ?? []}
          marks={live?.points.map((point) => point.throttled) ?? []}
          label={
            last
              ? `${units(last.readUnits)} read and ${units(last.writeUnits)} write units a second`
              : 'no traffic'
          }
        />
      </td>
      <td class="capacity">
        <Capacity
          used={last?.readUnits ?? 0}
          limit={limitOf(table, 'ReadCapacityUnits')}
          of={12_000}
          unit="RCU"
        />
      </td>
      <td class="capacity">
        <Capacity
          used={last?.writeUnits ?? 0}
          limit={limitOf(table, 'WriteCapacityUnits')}
          of={4_000}
          unit="WCU"
        />
      </td>
      <td>{throttles(live)}</td>
    </tr>
  );
}

function keyText({ KeySchema, AttributeDefinitions }: TableDescription): string {
  return KeySchema.map(({ AttributeName: name }) => {
    const type = AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
    return `${name} ${type ?? ''}`;
  }).join(', ');
}

function indexText(table: TableDescription): string {
  return allIndexes(table)
    .map(({ IndexName }) => IndexName)
    .join(', ');
}

function limitOf(
  table: TableDescription | undefined,
  name: 'ReadCapacityUnits' | 'WriteCapacityUnits',
): number | undefined {
  return table?.ProvisionedThroughput?.[name] || undefined;
}

/** What is used against what is provisioned, or against what a new on-demand table gives at once. */
function Capacity({
  used,
  limit,
  of,
  unit,
}: {
  readonly used: number;
  readonly limit: number | undefined;
  readonly of: number;
  readonly unit: string;
}) {
  const share = Math.min(1, used / (limit ?? of));
  const kind = share >= 1 ? 'over' : share > 0.7 ? 'hot' : '';
  return (
    <span class="row" style={{ gap: '6px' }}>
      <span class={`bar ${kind}`} style={{ width: '48px' }} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span class="small soft nowrap">
        {units(used)} of {shortCount(limit ?? of)} {unit}/s{limit === undefined ? '' : ', provisioned'}
      </span>
    </span>
  );
}

function throttles(live: LiveTable | undefined) {
  if (live === undefined || live.refused === 0) return <span class="faint">none</span>;
  return live.mode === 'enforce' ? (
    <span class="badge red">{plural(live.refused, 'request')}</span>
  ) : (
    <span class="badge amber">{count(live.refused)} on AWS</span>
  );
}

function FirstSteps() {
  return (
    <Empty title="No tables yet">
      <p>
        Start with an example to look around, create a table, or point your program at this server and let it
        create its own.
      </p>
      <div class="row">
        <ExampleButtons />
        <Button icon="plus" onClick={() => openDialog('create-table')}>
          Create a table
        </Button>
        <Button icon="upload" onClick={() => openDialog('create-table')}>
          Import a definition
        </Button>
      </div>
      <div style={{ width: '100%', marginTop: '24px' }}>
        <Connect />
      </div>
    </Empty>
  );
}

const kinds = ['AWS CLI', 'SDK for JavaScript', 'Python', 'Environment'] as const;

function Connect() {
  const [kind, setKind] = useState<(typeof kinds)[number]>('AWS CLI');
  return (
    <div class="column">
      <div class="row" role="tablist" aria-label="How to connect">
        {kinds.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            class={`button ${one === kind ? '' : 'plain'}`}
            aria-selected={one === kind}
            onClick={() => setKind(one)}
          >
            {one}
          </button>
        ))}
      </div>
      <Snippet text={snippet(kind)} label={kind} />
    </div>
  );
}

function snippet(kind: (typeof kinds)[number]): string {
  const endpoint = location.origin;
  const isOpen = about.value?.auth !== 'verify';
  const id = credentials.value?.accessKeyId ?? openAccessKey.value;
  switch (kind) {
    case 'AWS CLI':
      return `aws dynamodb list-tables --endpoint-url ${endpoint} --region ${region.value}`;
    case 'SDK for JavaScript':
      return [
        `import { DynamoDBClient } from '@aws-sdk/client-dynamodb';`,
        `const client = new DynamoDBClient({`,
        `  endpoint: '${endpoint}',`,
        `  region: '${region.value}',`,
        ...(isOpen ? [`  credentials: { accessKeyId: '${id}', secretAccessKey: 'local' },`] : []),
        `});`,
      ].join('\n');
    case 'Python':
      return [
        'import boto3',
        `db = boto3.resource('dynamodb', endpoint_url='${endpoint}', region_name='${region.value}'${
          isOpen ? `,\n                    aws_access_key_id='${id}', aws_secret_access_key='local'` : ''
        })`,
      ].join('\n');
    case 'Environment':
      return [
        `export AWS_ENDPOINT_URL_DYNAMODB=${endpoint}`,
        `export AWS_REGION=${region.value}`,
        ...(isOpen ? [`export AWS_ACCESS_KEY_ID=${id} AWS_SECRET_ACCESS_KEY=local`] : []),
      ].join('\n');
  }
}
