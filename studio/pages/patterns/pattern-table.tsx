import { count, units } from '../../parts/format.ts';
import { href, route } from '../../shell/router.ts';
import { FindingList } from './finding-list.tsx';
import type { JudgedPattern, JudgedTable } from './judge-model.ts';
import type { LivePattern } from './live-patterns.ts';
import { againstForecast } from './pattern-verdict.ts';

const severities = { error: 'red', warning: 'amber', note: '' } as const;

const signs = {
  proved: { sign: '✓', kind: 'green', text: 'proved' },
  served: { sign: '✓', kind: '', text: 'served' },
  failing: { sign: '✗', kind: 'red', text: 'failing' },
} as const;

/** The table of a design review: pattern, plan, keys, forecast against live, proof. */
export function PatternTable({
  judged,
  live,
  selected,
  unnamed,
  onSelect,
}: {
  readonly judged: JudgedTable;
  readonly live: ReadonlyMap<string, LivePattern>;
  readonly selected: string | undefined;
  readonly unnamed: number;
  readonly onSelect: (name: string) => void;
}) {
  const { patterns, findings } = judged;
  const monthly = patterns.reduce((sum, one) => sum + one.monthly, 0);
  return (
    <div class="column room" style={{ gap: '24px' }}>
      <table class="list patterns">
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">Proof</span>
            </th>
            <th scope="col">Access pattern</th>
            <th scope="col" class="aside">
              Plan
            </th>
            <th scope="col" class="aside slot">
              On
            </th>
            <th scope="col" class="number" title="Calls a second: declared at the busiest minute, and now">
              Peak · now
            </th>
            <th scope="col" class="number" title="Units of a call: forecast, and seen">
              Units · seen
            </th>
            <th scope="col" class="number aside" title="In this process; no network is in it">
              p99
            </th>
            <th scope="col" class="number monthly" title="On demand at the mean rate, us-east-1">
              $ a month
            </th>
          </tr>
        </thead>
        <tbody>
          {(['read', 'write'] as const).flatMap((kind) =>
            patterns
              .filter((one) => one.kind === kind)
              .map((pattern) => (
                <Row
                  key={pattern.name}
                  pattern={pattern}
                  live={live.get(pattern.name)}
                  isSelected={pattern.name === selected}
                  onSelect={() => onSelect(pattern.name)}
                />
              )),
          )}
        </tbody>
        <tfoot>
          <tr>
            <td colSpan={2} class="soft">
              {count(patterns.length)} patterns
              {unnamed > 0 ? (
                <>
                  {' · '}
                  <a href={href(route.value.table, 'patterns', { view: 'traffic' })}>
                    {count(unnamed)} {unnamed === 1 ? 'shape' : 'shapes'} of request in traffic that no
                    pattern explains
                  </a>
                </>
              ) : null}
            </td>
            <td class="aside" />
            <td class="aside slot" />
            <td colSpan={2} />
            <td class="aside" />
            <td class="number monthly">{dollars(monthly)}</td>
          </tr>
        </tfoot>
      </table>
      <FindingList title="Findings about the table" findings={findings} />
    </div>
  );
}

export function dollars(value: number): string {
  return value >= 100 ? count(value) : value >= 0.005 ? value.toFixed(2) : value === 0 ? '0' : '< 0.01';
}

export function rate(value: number): string {
  return value >= 10 ? count(value) : value >= 0.05 ? value.toFixed(1) : value === 0 ? '0' : '< 0.1';
}

function Row({
  pattern,
  live,
  isSelected,
  onSelect,
}: {
  readonly pattern: JudgedPattern;
  readonly live: LivePattern | undefined;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}) {
  const { sign, kind, text } = signs[pattern.standing];
  const warning = pattern.findings[0];
  const off = againstForecast(pattern, live);
  const perSecond = live?.perSecond === undefined ? undefined : live.perSecond / pattern.requests;
  return (
    <tr class={isSelected ? 'chosen' : ''} onClick={onSelect}>
      <td class={kind} title={text} style={{ width: '20px' }}>
        <span aria-hidden="true">{sign}</span>
        <span class="unseen">{text}</span>
      </td>
      <td class="pattern-name">
        <div class="row" style={{ gap: '6px' }}>
          <button type="button" class="link mono" onClick={onSelect}>
            {pattern.name}
          </button>
          <span class="cut soft" title={pattern.description}>
            {pattern.description}
          </span>
          {warning ? (
            <span class={`badge ${severities[warning.severity]}`} title={warning.message}>
              {warning.check}
            </span>
          ) : null}
        </div>
      </td>
      <td class="pattern-plan aside" title={pattern.keys}>
        <div class="cut">{pattern.plan}</div>
      </td>
      <td class="mono small aside slot">{pattern.slot}</td>
      <td
        class={`number ${off?.what === 'rate' ? 'amber' : ''}`}
        title={off?.what === 'rate' ? off.text : ''}
      >
        {rate(pattern.rate.peak)}
        <span class="faint"> · {perSecond === undefined ? '–' : rate(perSecond)}</span>
      </td>
      <td
        class={`number ${off?.what === 'units' ? 'amber' : ''}`}
        title={off?.what === 'units' ? off.text : ''}
      >
        {units(pattern.units)}
        <span class={off?.what === 'units' ? '' : 'faint'}>
          {' · '}
          {live === undefined || live.requests === 0 ? '–' : units(live.units * pattern.requests)}
        </span>
      </td>
      <td class={`number aside ${off?.what === 'latency' ? 'amber' : ''}`}>
        {live?.p99 === undefined ? <span class="faint">–</span> : milliseconds(live.p99)}
      </td>
      <td class="number monthly">{dollars(pattern.monthly)}</td>
    </tr>
  );
}

export function milliseconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
}
