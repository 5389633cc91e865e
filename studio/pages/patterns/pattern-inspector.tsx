import type { ReportedPattern } from '../../../src/observe/patterns/report-patterns.ts';
import type { TableDescription } from '../../data/tables.ts';
import { Button } from '../../parts/buttons.tsx';
import { bytes, count, units } from '../../parts/format.ts';
import { Inspector } from '../../parts/page-frame.tsx';
import { Why } from '../../parts/why.tsx';
import { go } from '../../shell/router.ts';
import { FindingList } from './finding-list.tsx';
import type { JudgedKey, JudgedPattern, JudgedTable } from './judge-model.ts';
import type { LivePattern } from './live-patterns.ts';
import { MakePattern } from './make-pattern.tsx';
import { dollars, milliseconds, rate } from './pattern-table.tsx';
import { againstForecast, verdictOn } from './pattern-verdict.ts';

const standings = {
  proved: 'Proved in this page: one bounded request answers it, and no design has fewer indexes.',
  served: 'One bounded request answers it.',
  failing: 'No bounded request answers it as the model asks.',
} as const;

/** A pattern of the model: its plan, what it costs, what it does now, and what is wrong with it. */
export function PatternInspector({
  table,
  pattern,
  live,
  judged,
  onClose,
}: {
  readonly table: TableDescription;
  readonly pattern: JudgedPattern;
  readonly live: LivePattern | undefined;
  readonly judged: JudgedTable;
  readonly onClose: () => void;
}) {
  const off = againstForecast(pattern, live);
  const heat = judged.partitions.filter(({ from }) => from.some((one) => one.pattern === pattern.name));
  const draft = pattern.kind === 'read' ? requestOf(table, judged, pattern) : undefined;
  const perSecond = live?.perSecond === undefined ? undefined : live.perSecond / pattern.requests;
  return (
    <Inspector
      title={
        <>
          <span class="mono">{pattern.name}</span> <span class="soft">{pattern.kind}</span>
        </>
      }
      onClose={onClose}
    >
      <div class="column" style={{ gap: '16px' }}>
        <p>{pattern.description}</p>
        <p class={pattern.standing === 'failing' ? 'red' : pattern.standing === 'proved' ? 'green' : ''}>
          {standings[pattern.standing]}
        </p>
        {off ? <p class="amber">{off.text}</p> : null}
        <FindingList title="What is wrong" findings={pattern.findings} />
        <dl class="facts">
          <dt>Plan</dt>
          <dd>{pattern.plan}</dd>
          <dt>On</dt>
          <dd class="mono">{pattern.slot}</dd>
          {pattern.keys === '' ? null : (
            <>
              <dt>Keys</dt>
              <dd class="mono">{pattern.keys}</dd>
            </>
          )}
        </dl>
        <table class="list">
          <thead>
            <tr>
              <th scope="col"> </th>
              <th scope="col" class="number">
                Forecast
              </th>
              <th scope="col" class="number">
                Live
              </th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">Calls a second, now</th>
              <td class="number">
                {rate(pattern.rate.mean)} <span class="faint">peak {rate(pattern.rate.peak)}</span>
              </td>
              <td class="number">{perSecond === undefined ? '–' : rate(perSecond)}</td>
            </tr>
            <tr>
              <th scope="row">Requests, last hour</th>
              <td class="number faint">–</td>
              <td class="number">{count(live?.requests ?? 0)}</td>
            </tr>
            <tr>
              <th scope="row">Units of a call</th>
              <td class="number">{units(pattern.units)}</td>
              <td class="number">{live ? units(live.units * pattern.requests) : '–'}</td>
            </tr>
            <tr>
              <th scope="row">p99</th>
              <td class="number">{pattern.latencyMs === undefined ? '–' : `${pattern.latencyMs} ms`}</td>
              <td class="number">{milliseconds(live?.p99)}</td>
            </tr>
            <tr>
              <th scope="row">Failed</th>
              <td class="number faint">–</td>
              <td class="number">{count(live?.failed ?? 0)}</td>
            </tr>
            <tr>
              <th scope="row">A month, on demand</th>
              <td class="number">${dollars(pattern.monthly)}</td>
              <td class="number">
                {perSecond === undefined || pattern.rate.mean === 0
                  ? '–'
                  : `$${dollars((pattern.monthly * perSecond) / pattern.rate.mean)}`}
              </td>
            </tr>
          </tbody>
        </table>
        {pattern.reason === '' ? null : (
          <section class="column">
            <h3>
              Reason <Why topic={pattern.kind === 'read' ? 'indexes' : 'conditions-and-transactions'} />
            </h3>
            <p class="soft">{pattern.reason}</p>
          </section>
        )}
        {heat.length === 0 ? null : (
          <section class="column">
            <h3>
              Heat <Why topic="partitions" />
            </h3>
            {heat.map((one) => (
              <p key={`${one.slot} ${one.template}`} class={`small ${one.use >= 1 ? 'red' : 'soft'}`}>
                <code>{one.template}</code> on {one.slot}: {units(one.use * 100)} % of a partition at the peak
              </p>
            ))}
          </section>
        )}
        {draft === undefined ? null : (
          <Button
            icon="play"
            onClick={() => go(table.TableName, 'query', { op: 'Query', q: draft })}
            title="Fills the request in; nothing runs by itself"
          >
            Open it on the Query page
          </Button>
        )}
      </div>
    </Inspector>
  );
}

/** The pattern as a Query to fill in. */
function requestOf(
  table: TableDescription,
  { design }: JudgedTable,
  { name }: JudgedPattern,
): string | undefined {
  const plan = design.plans.find(({ pattern }) => pattern === name);
  if (plan === undefined) return undefined;
  const index = design.indexes.find((one) => one.name === plan.slot);
  const { partitionKey, sortKey } = index ?? design;
  const { sort } = plan;
  const values: Record<string, object> = { ':p': { S: plan.partition } };
  let condition = '#p = :p';
  if (sort.kind === 'equals' || sort.kind === 'prefix') {
    condition += sort.kind === 'equals' ? ' AND #s = :s' : ' AND begins_with(#s, :s)';
    values[':s'] = { S: sort.text };
  } else if (sort.kind === 'between') {
    condition += ' AND #s BETWEEN :a AND :b';
    values[':a'] = { S: sort.from };
    values[':b'] = { S: sort.to };
  }
  return JSON.stringify(
    {
      TableName: table.TableName,
      ...(index && { IndexName: index.name }),
      KeyConditionExpression: condition,
      ExpressionAttributeNames: { '#p': partitionKey, ...(sort.kind !== 'none' && { '#s': sortKey }) },
      ExpressionAttributeValues: values,
      ...(plan.forward ? {} : { ScanIndexForward: false }),
      Limit: plan.limit === 'all' ? 100 : plan.limit,
    },
    null,
    2,
  );
}

/** A shape of requests that traffic shows, with the way to make it a pattern. */
export function ShapeInspector({
  pattern,
  keys,
  onClose,
}: {
  readonly pattern: ReportedPattern;
  readonly keys: readonly JudgedKey[];
  readonly onClose: () => void;
}) {
  const verdict = verdictOn(pattern);
  return (
    <Inspector title={pattern.name} onClose={onClose}>
      <div class="column" style={{ gap: '16px' }}>
        <p class={verdict.kind}>
          {verdict.long} {verdict.topic ? <Why topic={verdict.topic} /> : null}
        </p>
        <dl class="facts">
          <dt>Operation</dt>
          <dd>{pattern.operation}</dd>
          {pattern.index ? (
            <>
              <dt>Index</dt>
              <dd>{pattern.index}</dd>
            </>
          ) : null}
          {pattern.keyCondition ? (
            <>
              <dt>Key condition</dt>
              <dd class="mono">{pattern.keyCondition}</dd>
            </>
          ) : null}
          {pattern.filter ? (
            <>
              <dt>Filter</dt>
              <dd class="mono">{pattern.filter}</dd>
            </>
          ) : null}
          <dt>Units</dt>
          <dd>
            {units(pattern.readUnits)} read, {units(pattern.writeUnits)} write
          </dd>
          <dt>Retries</dt>
          <dd>{count(pattern.retries)}</dd>
          {pattern.itemBytes ? (
            <>
              <dt>Item sizes</dt>
              <dd>
                {bytes(Math.round(pattern.itemBytes.p50 ?? 0))} typical, {bytes(pattern.itemBytes.max)} at
                most
              </dd>
            </>
          ) : null}
          {pattern.replays > 0 ? (
            <>
              <dt>Repeated commands</dt>
              <dd>
                {count(pattern.replays)} ({units(pattern.replayRate * 100)} %)
              </dd>
            </>
          ) : null}
          {pattern.staleReads > 0 ? (
            <>
              <dt>Stale reads</dt>
              <dd>{count(pattern.staleReads)}</dd>
            </>
          ) : null}
        </dl>
        <Counts title="Errors" counts={pattern.errors} />
        <Counts title="Conditions that did not hold" counts={pattern.conditionFailures} />
        {pattern.source === 'shape' ? <MakePattern shape={pattern} keys={keys} /> : null}
      </div>
    </Inspector>
  );
}

function Counts({
  title,
  counts,
}: {
  readonly title: string;
  readonly counts: Readonly<Record<string, number>>;
}) {
  const entries = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  if (entries.length === 0) return null;
  return (
    <section class="column">
      <h3>{title}</h3>
      <ul>
        {entries.map(([name, times]) => (
          <li key={name} class="row">
            <span class="number" style={{ width: '56px' }}>
              {count(times)}
            </span>
            <span class="mono small">{name}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
