import type { ReportedPattern } from '../../../src/observe/patterns/report-patterns.ts';
import { count, units } from '../../parts/format.ts';
import { milliseconds } from './pattern-table.tsx';
import { verdictOn } from './pattern-verdict.ts';

export function idOfShape({ name, operation }: ReportedPattern): string {
  return `${operation} ${name}`;
}

/** Requests by their shape, or by the name that their callers gave them, over the last hour. */
export function TrafficTable({
  patterns,
  selected,
  onSelect,
}: {
  readonly patterns: readonly ReportedPattern[];
  readonly selected: ReportedPattern | undefined;
  readonly onSelect: (id: string) => void;
}) {
  return (
    <div class="room">
      <table class="list patterns">
        <thead>
          <tr>
            <th scope="col">Access pattern</th>
            <th scope="col" class="aside slot">
              Reads or writes
            </th>
            <th scope="col" class="number">
              Requests
            </th>
            <th scope="col" class="number aside">
              p50
            </th>
            <th scope="col" class="number">
              p99
            </th>
            <th scope="col" class="number">
              Units each
            </th>
            <th scope="col" class="number aside">
              Items each
            </th>
            <th scope="col" class="number monthly">
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
                key={idOfShape(pattern)}
                class={pattern === selected ? 'chosen' : ''}
                onClick={() => onSelect(idOfShape(pattern))}
              >
                <td class="pattern-name">
                  <div class="row">
                    <button type="button" class="link cut" onClick={() => onSelect(idOfShape(pattern))}>
                      {pattern.name}
                    </button>
                    {pattern.source === 'shape' ? <span class="small faint">unnamed</span> : null}
                  </div>
                </td>
                <td class="soft nowrap aside slot">
                  {pattern.operation}
                  {pattern.index ? ` on ${pattern.index}` : ''}
                </td>
                <td class="number">{count(pattern.requests)}</td>
                <td class="number aside">{milliseconds(pattern.latencyMs?.p50)}</td>
                <td class="number">{milliseconds(pattern.latencyMs?.p99)}</td>
                <td class="number">
                  {units((pattern.readUnits + pattern.writeUnits) / Math.max(1, pattern.requests))}
                </td>
                <td class="number aside">{pattern.results ? units(pattern.results.average) : '–'}</td>
                <td class={`number monthly ${failed > 0 ? 'red' : ''}`}>
                  {failed > 0 ? count(failed) : '–'}
                </td>
                <td class={`small nowrap ${verdict.kind}`}>{verdict.short}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
