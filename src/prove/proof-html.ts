import { partitionUse } from '../physics/partition-use.ts';
import { count, money, percent, shortNumber } from '../report/figures.ts';
import { linePlot } from '../report/line-plot.ts';
import { escaped, htmlPage } from '../report/page.ts';
import type { PeakSecond, Proof } from './proof.ts';
import { findingText, forecastText, isProved, unitsText } from './proof-text.ts';

/** The proof as one page for browsers: no script, nothing loaded, everything that comes from data escaped. */
export function proofHtml(proof: Proof): string {
  const { peak } = proof;
  const title = `${proof.model} — ${proof.passed ? 'proved' : 'not proved'}`;
  const compared = proof.patterns.reduce((sum, one) => sum + one.compared, 0);
  const agreed = proof.patterns.reduce((sum, one) => sum + one.agreed, 0);
  const facts: readonly (readonly [string, string, string])[] = [
    [
      'Patterns',
      String(proof.patterns.length),
      `${proof.patterns.filter((one) => isProved(proof, one)).length} proved`,
    ],
    [
      'Answers compared',
      count(compared),
      agreed === compared ? 'all right' : `${count(compared - agreed)} wrong`,
    ],
    ...(peak === undefined
      ? []
      : ([
          ['Requests at the peak', count(peak.requests), `in ${peak.seconds} simulated seconds`],
          [
            'Throttled',
            count(peak.throttles),
            peak.throttles === 0
              ? 'none'
              : `${((peak.throttles / Math.max(1, peak.requests)) * 100).toFixed(2)} % of requests`,
          ],
        ] as const)),
    [
      'A month on demand',
      money(proof.monthly.onDemand),
      `${money(proof.monthly.provisioned)} with auto scaling`,
    ],
  ];
  const page = `<header>
<p class="mark ${proof.passed ? 'good' : 'bad'}">${proof.passed ? '✓ Proved' : '✗ Not proved'}</p>
<h1>${escaped(proof.model)}</h1>
<p class="dim">Seed ${proof.seed}. A sample of ${count(proof.sample.reduce((sum, one) => sum + one.present, 0))} instances stands for ${count(proof.sample.reduce((sum, one) => sum + one.declared, 0))}.</p>
</header>
<dl class="facts">${facts.map(([name, value, more]) => `<div><dt>${name}</dt><dd>${value}<small>${more}</small></dd></div>`).join('')}</dl>
${findingsSection(proof)}
${patternsSection(proof)}
${peak === undefined ? '' : peakSection(proof)}
<footer class="dim">${escaped(proof.basis)} Prices of patterns are those of their requests at the mean rates, without storage.</footer>`;
  return htmlPage({ title, body: page });
}

function findingsSection(proof: Proof): string {
  if (proof.findings.length === 0)
    return '<section><h2>Findings</h2><p class="dim">None: forecast and run agree.</p></section>';
  const order = { error: 0, warning: 1, note: 2 };
  const sorted = [...proof.findings].sort((a, b) => order[a.severity] - order[b.severity]);
  const rows = sorted.map(
    (one) =>
      `<li class="${one.severity}"><b>${escaped(one.rule)}</b>${one.pattern === undefined ? '' : ` <code>${escaped(one.pattern)}</code>`}<span>${escaped(findingText({ ...one, awsSignal: undefined }).replace(/^[^:]*: /, ''))}${one.awsSignal === undefined ? '' : ` <em>${escaped(one.awsSignal)}</em>`}</span></li>`,
  );
  return `<section><h2>Findings</h2><ul class="findings">${rows.join('')}</ul></section>`;
}

function patternsSection(proof: Proof): string {
  const most = Math.max(...proof.patterns.map(({ monthly }) => monthly.onDemand), 1e-9);
  const rows = proof.patterns.map((one) => {
    const peak = proof.peak?.patterns.find(({ pattern }) => pattern === one.pattern);
    const good = isProved(proof, one);
    return `<tr>
<td class="${good ? 'good' : 'bad'}">${good ? '✓' : '✗'}</td>
<td><b>${escaped(one.pattern)}</b><small>${escaped(one.description)}</small></td>
<td><code>${escaped(one.plan)}</code></td>
<td class="n">${count(one.agreed)}<small>of ${count(one.compared)}</small></td>
<td class="n">${shortNumber(one.requestsPerCall)}<small>${shortNumber(one.roundTripsPerCall)} ${one.roundTripsPerCall === 1 ? 'trip' : 'trips'}</small></td>
<td class="n">${one.kind === 'read' ? shortNumber(one.itemsPerCall) : ''}</td>
<td class="n">${unitsText(one)}<small>${forecastText(one)} forecast</small></td>
<td class="n">${peak === undefined ? '' : shortNumber(peak.p99Ms)}</td>
<td class="n ${peak !== undefined && peak.throttles > 0 ? 'hot' : ''}">${peak === undefined ? '' : count(peak.throttles)}</td>
<td class="n bar"><i style="width:${((one.monthly.onDemand / most) * 100).toFixed(1)}%"></i><span>${money(one.monthly.onDemand)}<small>${money(one.monthly.provisioned)} scaled</small></span></td>
</tr>`;
  });
  return `<section><h2>Patterns</h2><div class="scroll"><table>
<thead><tr><th></th><th>Pattern</th><th>Plan</th><th class="n">Right</th><th class="n">Requests</th><th class="n">Items</th><th class="n">Units a call</th><th class="n">p99 ms</th><th class="n">Throttled</th><th class="n">Month</th></tr></thead>
<tbody>${rows.join('')}</tbody></table></div></section>`;
}

function peakSection(proof: Proof): string {
  const peak = proof.peak!;
  // Calls that begin in the last moment end behind the peak; a line that falls to nothing there would show no trouble.
  const timeline = peak.timeline.filter(({ second }) => second < peak.seconds);
  const arms = peak.arms.map((arm) => {
    const top = Math.max(...arm.hotKeys.map(partitionUse), 0);
    const keys = arm.hotKeys.map(({ key, read, write }) => {
      const use = partitionUse({ read, write });
      return `<li><code>${escaped(key)}</code><span class="meter"><i class="${use > 1 ? 'over' : ''}" style="width:${Math.min(100, use * 100).toFixed(1)}%"></i></span><b>${percent(use)}</b></li>`;
    });
    return `<article><h3>${escaped(arm.arm)}</h3><p class="dim">${shortNumber(arm.read)} read and ${shortNumber(arm.write)} write units a second on ${arm.partitions} partitions${top > 0 ? '' : '; no key stands out'}</p>${keys.length === 0 ? '' : `<ul class="keys">${keys.join('')}</ul>`}</article>`;
  });
  return `<section><h2>Peak</h2>
<div class="plots">
${plot('Requests a second', timeline, [['requests', 'requests', 'line-a']])}
${plot('Units a second', timeline, [
  ['read', 'read units', 'line-a'],
  ['write', 'write units', 'line-b'],
])}
${plot('Throttled a second', timeline, [['throttles', 'throttled', 'line-c']])}
</div>
<p class="dim">Busiest keys, against the 3,000 read and 1,000 write units a second that a partition gives:</p>
<div class="arms">${arms.join('')}</div></section>`;
}

type Series = readonly [keyof Omit<PeakSecond, 'second'>, string, string];

function plot(title: string, seconds: readonly PeakSecond[], series: readonly Series[]): string {
  const lines = series.map(([name, label, tone]) => ({
    label,
    tone,
    values: seconds.map((one) => one[name]),
  }));
  return linePlot(title, lines, { seconds: Math.max(seconds.length, lines[0]!.values.length > 1 ? 0 : 2) });
}
