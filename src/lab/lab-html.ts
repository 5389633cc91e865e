import { partitionUse } from '../physics/partition-use.ts';
import { count, fineMoney, percent, shortNumber } from '../report/figures.ts';
import { linePlot } from '../report/line-plot.ts';
import { escaped, htmlPage } from '../report/page.ts';
import { compareRows } from './compare-runs.ts';
import { heatPicture, heatStyles } from './heat-picture.ts';
import type { ArmReport, LabReport, RunReport } from './lab-report.ts';

/** The report as one page for browsers: no script, nothing loaded, everything that comes from data escaped. */
export function labHtml(report: LabReport): string {
  const { runs, scenario, description, seed, scale, story, basis } = report;
  const body = `<header>
<p class="dim">stator lab · seed ${seed}${scale === 1 ? '' : ` · ${shortNumber(scale)} times the rates`}</p>
<h1>${escaped(scenario)}</h1>
<p class="dim">${escaped(description)}</p>
</header>
${story.length === 0 ? '' : `<section><h2>The story</h2><dl class="story">${story.map(({ when, what }) => `<div><dt>${escaped(when)}</dt><dd>${escaped(what)}</dd></div>`).join('')}</dl></section>`}
${runs.length > 1 ? comparison(runs) : ''}
${runs.map((run) => runSection(run, runs.length > 1)).join('\n')}
<footer class="dim">${escaped(basis)} What is provisioned is shared among patterns by what they use of it.</footer>`;
  return htmlPage({ title: `${scenario} — stator lab`, body, styles: heatStyles + ownStyles });
}

function comparison(runs: readonly RunReport[]): string {
  const rows = compareRows(runs).map(
    ({ what, values }) =>
      `<tr><th scope="row">${escaped(what)}</th>${values.map((value) => `<td class="n">${escaped(value)}</td>`).join('')}</tr>`,
  );
  return `<section><h2>Side by side</h2><div class="scroll"><table class="compare"><thead><tr><th></th>${runs.map(({ name }) => `<th class="n">${escaped(name)}</th>`).join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div></section>`;
}

function runSection(run: RunReport, isOneOfSeveral: boolean): string {
  const { totals, seconds, change } = run;
  const facts: readonly (readonly [string, string, string])[] = [
    ['Calls', count(totals.calls), `${count(totals.calls / seconds)} a second for ${shortNumber(seconds)} s`],
    [
      'Throttled',
      count(totals.throttles),
      totals.throttles === 0
        ? 'none'
        : `${percent(totals.throttles / Math.max(1, totals.requests))} of requests`,
    ],
    ['Lost', count(totals.gaveUp), `${percent(totals.gaveUp / Math.max(1, totals.calls))} of calls`],
    [
      'Other failures',
      count(totals.failed + totals.conflicts),
      totals.conflicts === 0 ? '' : `${count(totals.conflicts)} conflicts`,
    ],
    ['Table in use', percent(totals.busiestShare), 'in its busiest interval'],
    ['Cost', fineMoney(totals.cost), `${fineMoney(totals.costPerMillionAnswered)} a million answers`],
  ];
  return `<section class="run">
${isOneOfSeveral ? `<h2 class="variant">${escaped(run.name)}</h2>` : ''}${change === '' ? '' : `<p>${escaped(change)}</p>`}
<dl class="facts">${facts.map(([name, value, more]) => `<div><dt>${name}</dt><dd>${value}<small>${more}</small></dd></div>`).join('')}</dl>
${findings(run)}
<h3 class="head">Over time</h3>
<div class="plots">${plots(run)}</div>
${run.arms
  .filter(isUsed)
  .map((arm) => armSection(arm, run))
  .join('\n')}
${patterns(run)}
${timeline(run)}
</section>`;
}

function findings({ findings: found }: RunReport): string {
  if (found.length === 0) return '<p class="mark good quiet">✓ Nothing was throttled, lost or failed.</p>';
  const rows = found.map(
    ({ severity, rule, message, fix }) =>
      `<li class="${severity}"><b>${escaped(rule)}</b><span>${escaped(message)}${fix === undefined ? '' : ` <i>${escaped(fix)}</i>`}</span></li>`,
  );
  return `<h3 class="head">Findings</h3><ul class="findings lab">${rows.join('')}</ul>`;
}

function plots({ patterns: all, arms, consumers, intervalSeconds }: RunReport): string {
  const length = all[0]?.series.calls.length ?? 0;
  const seconds = length * intervalSeconds;
  const total = (figure: 'calls' | 'answered' | 'throttles' | 'gaveUp' | 'retries') =>
    Array.from(
      { length },
      (_, at) => all.reduce((sum, { series }) => sum + (series[figure][at] ?? 0), 0) / intervalSeconds,
    );
  const [throttles, gaveUp, retries] = [total('throttles'), total('gaveUp'), total('retries')];
  const slowest = Array.from({ length }, (_, at) =>
    Math.max(0, ...all.map(({ series }) => series.p99Ms[at] ?? 0)),
  );
  const costs = all
    .filter(({ cost }) => cost > 0)
    .toSorted((a, b) => b.cost - a.cost)
    .slice(0, 3);
  const tones = ['line-a', 'line-b', 'line-d'];
  return [
    linePlot(
      'Calls a second',
      [
        { label: 'asked', tone: 'line-a', values: total('calls') },
        { label: 'answered', tone: 'line-d', values: total('answered') },
      ],
      { seconds },
    ),
    linePlot(
      'Refused a second',
      [
        { label: 'throttled', tone: 'line-c', values: throttles },
        { label: 'retried', tone: 'line-b', values: retries },
        { label: 'lost', tone: 'line-a', values: gaveUp },
      ],
      { seconds },
    ),
    linePlot('Slowest pattern, p99 in milliseconds', [{ label: 'p99', tone: 'line-a', values: slowest }], {
      seconds,
    }),
    linePlot(
      'Dollars an hour, by pattern',
      costs.map(({ pattern, series }, at) => ({
        label: pattern,
        tone: tones[at]!,
        values: series.cost.map((cost) => (cost * 3_600) / intervalSeconds),
      })),
      { seconds },
    ),
    ...arms
      .filter(({ mode }) => mode === 'provisioned')
      .map(({ arm, series }) =>
        linePlot(
          `${arm}: write units a second`,
          [
            { label: 'consumed', tone: 'line-a', values: series.write },
            { label: 'provisioned', tone: 'line-b', values: series.writeCapacity },
          ],
          { seconds },
        ),
      ),
    ...consumers.map(({ pattern, lagMs }) =>
      linePlot(
        `${pattern}: seconds behind its table`,
        [{ label: 'lag', tone: 'line-b', values: lagMs.map((ms) => ms / 1000) }],
        {
          seconds,
        },
      ),
    ),
  ].join('');
}

function isUsed({ readUnits, writeUnits, throttles }: ArmReport): boolean {
  return readUnits + writeUnits + throttles > 0;
}

function armSection(arm: ArmReport, { seconds, intervalSeconds }: RunReport): string {
  const keys = arm.hotKeys.map(({ key, read, write, refused }) => {
    const use = partitionUse({ read, write });
    return `<li><code>${escaped(key)}</code><span class="meter"><i class="${use > 1 ? 'over' : ''}" style="width:${Math.min(100, use * 100).toFixed(1)}%"></i></span><b>${count(use * 100)} %</b><small>${refused === 0 ? '' : `${count(refused)} refused`}</small></li>`;
  });
  const head = `<h3 class="head">${escaped(arm.arm)}</h3><p class="dim">${arm.mode}, ${count(arm.readUnits)} read and ${count(arm.writeUnits)} write units, ${count(arm.throttles)} throttles, ${fineMoney(arm.cost)}</p>`;
  const hot =
    keys.length === 0
      ? ''
      : `<p class="dim">Busiest keys in their busiest minute, against what one partition gives:</p><ul class="keys lab">${keys.join('')}</ul>`;
  return `<article>${head}${heatPicture(arm, seconds, intervalSeconds)}${hot}</article>`;
}

function patterns({ patterns: all, seconds }: RunReport): string {
  const most = Math.max(1e-12, ...all.map(({ cost }) => cost));
  const rows = all.map(
    (one) =>
      `<tr><td></td><td><b>${escaped(one.pattern)}</b><small>${escaped(one.does)}</small></td><td class="n">${shortNumber(one.calls / seconds)}</td><td class="n ${one.throttles > 0 ? 'hot' : ''}">${count(one.throttles)}</td><td class="n">${count(one.retries)}</td><td class="n ${one.gaveUp > 0 ? 'bad' : ''}">${count(one.gaveUp)}</td><td class="n ${one.failed > 0 ? 'bad' : ''}">${count(one.failed)}</td><td class="n">${count(one.conflicts)}</td><td class="n">${shortNumber(one.p50Ms)}<small>${shortNumber(one.p99Ms)} p99</small></td><td class="n">${count(one.readUnits)}</td><td class="n">${count(one.writeUnits)}</td><td class="n bar"><i style="width:${((one.cost / most) * 100).toFixed(1)}%"></i><span>${fineMoney(one.cost)}<small>${fineMoney(one.costPerMillion)} a million</small></span></td></tr>`,
  );
  return `<h3 class="head">Patterns</h3><div class="scroll"><table>
<thead><tr><th></th><th>Pattern</th><th class="n">Calls/s</th><th class="n">Throttled</th><th class="n">Retries</th><th class="n">Lost</th><th class="n">Failed</th><th class="n">Conflicts</th><th class="n">ms</th><th class="n">Read units</th><th class="n">Write units</th><th class="n">Cost</th></tr></thead>
<tbody>${rows.join('')}</tbody></table></div>`;
}

function timeline({ moments }: RunReport): string {
  if (moments.length === 0) return '';
  const rows = moments
    .slice(0, 60)
    .map(
      ({ at, kind, text }) =>
        `<li class="${kind}"><time>${at.slice(11, 19)}</time><span>${escaped(text)}</span></li>`,
    );
  return `<h3 class="head">Timeline</h3><ol class="moments">${rows.join('')}</ol>`;
}

const ownStyles = `
section.run{margin-top:44px;border-top:2px solid var(--line);padding-top:4px}h2.variant{font-size:20px;margin:16px 0 4px}h3.head{font-size:13px;margin:28px 0 8px}
.story{margin:0;border-top:1px solid var(--line)}.story div{display:grid;grid-template-columns:130px 1fr;gap:16px;padding:8px 0;border-bottom:1px solid var(--line)}.story dt{color:var(--dim);font-variant-numeric:tabular-nums}.story dd{margin:0}
table.compare{min-width:0;width:auto}table.compare th[scope=row]{color:var(--ink);font-weight:400}table.compare td,table.compare th{padding:5px 28px 5px 0}
.findings.lab li{grid-template-columns:160px 1fr}.findings.lab li>span{grid-column:2}.findings i{color:var(--dim);font-style:normal}
.quiet{margin:16px 0}.keys.lab{max-width:760px}.keys.lab li{grid-template-columns:minmax(0,1fr) 180px 64px 120px}.keys small{text-align:right}
.moments{list-style:none;margin:0;padding:0}.moments li{display:grid;grid-template-columns:76px 1fr;gap:8px;padding:4px 0 4px 10px;border-left:3px solid var(--line)}.moments time{color:var(--dim);font-variant-numeric:tabular-nums}.moments .throttling,.moments .error{border-left-color:var(--bad)}.moments .quiet,.moments .done{border-left-color:var(--good);margin:0}.moments .capacity,.moments .partition,.moments .lag,.moments .conflict{border-left-color:var(--heat)}
.plots{grid-template-columns:repeat(auto-fit,minmax(min(320px,100%),1fr))}
@media (max-width:560px){figcaption span.scale{white-space:normal}.findings.lab li,.story div{grid-template-columns:1fr;gap:2px}.findings.lab li>span{grid-column:1}.keys.lab li{grid-template-columns:minmax(0,1fr) 64px 96px}.keys.lab .meter{display:none}}
`;
