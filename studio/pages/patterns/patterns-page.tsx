import type { ReportedPattern } from '../../../src/observe/patterns/report-patterns.ts';
import { control } from '../../data/api.ts';
import { usePolled } from '../../data/polled.ts';
import { Button, copyText } from '../../parts/buttons.tsx';
import { bytes, count, units } from '../../parts/format.ts';
import { Inspector, PageFrame } from '../../parts/page-frame.tsx';
import { Empty, Notice, SkeletonRows } from '../../parts/states.tsx';
import { useKeys } from '../../shell/keyboard.ts';
import type { TablePageProps } from '../../shell/pages.ts';
import { route, setParams } from '../../shell/router.ts';
import { patternDraft, verdictOn } from './pattern-verdict.ts';

interface Report {
  readonly dropped: number;
  readonly patterns: readonly ReportedPattern[];
}

/** The access patterns of a table as traffic shows them: named by the caller, or grouped by the shape of requests. */
export default function PatternsPage({ table }: TablePageProps) {
  const polled = usePolled(`patterns ${table.TableName}`, 3_000, (signal) =>
    control<Report>('GET', 'patterns?minutes=60', undefined, signal),
  );
  const own = polled.value?.patterns.filter((pattern) => pattern.table === table.TableName) ?? [];
  const selected = own.find((pattern) => idOf(pattern) === route.value.params.pattern);
  const move = (by: number) => {
    const next = own[Math.max(0, (selected === undefined ? -1 : own.indexOf(selected)) + by)];
    if (next !== undefined) setParams({ pattern: idOf(next) }, true);
  };
  useKeys({
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Escape: () => setParams({ pattern: undefined }, true),
  });
  return (
    <PageFrame
      padded
      inspector={
        selected && (
          <Inspector title={selected.name} onClose={() => setParams({ pattern: undefined }, true)}>
            <PatternDetails pattern={selected} />
          </Inspector>
        )
      }
    >
      {polled.error ? <Notice onRetry={polled.refresh}>{polled.error}</Notice> : null}
      {polled.value === undefined ? (
        polled.error ? null : (
          <SkeletonRows />
        )
      ) : own.length === 0 ? (
        <Empty title="No requests in the last hour">
          <p>
            Requests appear here by their shape. Give an access pattern a name with the header{' '}
            <code>x-stator-pattern</code>, or set an application id in your SDK's client.
          </p>
        </Empty>
      ) : (
        <PatternTable patterns={own} selected={selected} />
      )}
    </PageFrame>
  );
}

function idOf({ name, operation }: ReportedPattern): string {
  return `${operation} ${name}`;
}

function PatternTable({
  patterns,
  selected,
}: {
  readonly patterns: readonly ReportedPattern[];
  readonly selected: ReportedPattern | undefined;
}) {
  return (
    <table class="list patterns">
      <thead>
        <tr>
          <th scope="col">Access pattern</th>
          <th scope="col">Reads or writes</th>
          <th scope="col" class="number">
            Requests
          </th>
          <th scope="col" class="number">
            p50
          </th>
          <th scope="col" class="number">
            p99
          </th>
          <th scope="col" class="number">
            Units each
          </th>
          <th scope="col" class="number">
            Items each
          </th>
          <th scope="col" class="number">
            Failed
          </th>
          <th scope="col">Verdict</th>
        </tr>
      </thead>
      <tbody>
        {patterns.map((pattern) => {
          const verdict = verdictOn(pattern);
          const failed = Object.values(pattern.errors).reduce((sum, each) => sum + each, 0);
          return (
            <tr
              key={idOf(pattern)}
              class={pattern === selected ? 'chosen' : ''}
              onClick={() => setParams({ pattern: idOf(pattern) }, true)}
            >
              <td class="pattern-name">
                <button
                  type="button"
                  class="link cut"
                  onClick={() => setParams({ pattern: idOf(pattern) }, true)}
                >
                  {pattern.name}
                </button>
                {pattern.source === 'shape' ? <span class="small faint"> unnamed</span> : null}
              </td>
              <td class="soft">
                {pattern.operation}
                {pattern.index ? ` on ${pattern.index}` : ''}
              </td>
              <td class="number">{count(pattern.requests)}</td>
              <td class="number">{milliseconds(pattern.latencyMs?.p50)}</td>
              <td class="number">{milliseconds(pattern.latencyMs?.p99)}</td>
              <td class="number">
                {units((pattern.readUnits + pattern.writeUnits) / Math.max(1, pattern.requests))}
              </td>
              <td class="number">{pattern.results ? units(pattern.results.average) : '–'}</td>
              <td class={`number ${failed > 0 ? 'red' : ''}`}>{failed > 0 ? count(failed) : '–'}</td>
              <td class={`small ${verdict.kind}`}>{verdict.short}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function milliseconds(value: number | null | undefined): string {
  return value === null || value === undefined
    ? '–'
    : `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
}

function PatternDetails({ pattern }: { readonly pattern: ReportedPattern }) {
  const verdict = verdictOn(pattern);
  return (
    <div class="column" style={{ gap: '16px' }}>
      <p class={verdict.kind}>{verdict.long}</p>
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
              {bytes(Math.round(pattern.itemBytes.p50 ?? 0))} typical, {bytes(pattern.itemBytes.max)} at most
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
      <div class="row">
        <Button
          icon="copy"
          onClick={() => void copyText(patternDraft(pattern), 'A pattern for your model is copied')}
        >
          Make this an access pattern
        </Button>
      </div>
    </div>
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
