import type { PeakSecond, Proof } from './proof.ts';
import { findingText, forecastText, isProved, money, shortNumber, unitsText } from './proof-text.ts';

/** The proof as one page for browsers: no script, nothing loaded, everything that comes from data escaped. */
export function proofHtml(proof: Proof): string {
  const { peak } = proof;
  const title = `${escaped(proof.model)} — ${proof.passed ? 'proved' : 'not proved'}`;
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
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${styles}</style>
</head>
<body>
<main>
<header>
<p class="mark ${proof.passed ? 'good' : 'bad'}">${proof.passed ? '✓ Proved' : '✗ Not proved'}</p>
<h1>${escaped(proof.model)}</h1>
<p class="dim">Seed ${proof.seed}. A sample of ${count(proof.sample.reduce((sum, one) => sum + one.present, 0))} instances stands for ${count(proof.sample.reduce((sum, one) => sum + one.declared, 0))}.</p>
</header>
<dl class="facts">${facts.map(([name, value, more]) => `<div><dt>${name}</dt><dd>${value}<small>${more}</small></dd></div>`).join('')}</dl>
${findingsSection(proof)}
${patternsSection(proof)}
${peak === undefined ? '' : peakSection(proof)}
<footer class="dim">${escaped(proof.basis)} Prices of patterns are those of their requests at the mean rates, without storage.</footer>
</main>
</body>
</html>
`;
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
  const arms = peak.arms.map((arm) => {
    const top = Math.max(...arm.hotKeys.map(({ read, write }) => Math.max(read / 3_000, write / 1_000)), 0);
    const keys = arm.hotKeys.map(({ key, read, write }) => {
      const use = Math.max(read / 3_000, write / 1_000);
      return `<li><code>${escaped(key)}</code><span class="meter"><i class="${use > 1 ? 'over' : ''}" style="width:${Math.min(100, use * 100).toFixed(1)}%"></i></span><b>${(use * 100).toFixed(0)} %</b></li>`;
    });
    return `<article><h3>${escaped(arm.arm)}</h3><p class="dim">${shortNumber(arm.read)} read and ${shortNumber(arm.write)} write units a second on ${arm.partitions} partitions${top > 0 ? '' : '; no key stands out'}</p>${keys.length === 0 ? '' : `<ul class="keys">${keys.join('')}</ul>`}</article>`;
  });
  return `<section><h2>Peak</h2>
<div class="plots">
${plot('Requests a second', peak.timeline, [['requests', 'requests', 'line-a']])}
${plot('Units a second', peak.timeline, [
  ['read', 'read units', 'line-a'],
  ['write', 'write units', 'line-b'],
])}
${plot('Throttled a second', peak.timeline, [['throttles', 'throttled', 'line-c']])}
</div>
<p class="dim">Busiest keys, against the 3,000 read and 1,000 write units a second that a partition gives:</p>
<div class="arms">${arms.join('')}</div></section>`;
}

type Series = readonly [keyof Omit<PeakSecond, 'second'>, string, string];

function plot(title: string, seconds: readonly PeakSecond[], series: readonly Series[]): string {
  const [width, height, left, bottom] = [420, 150, 44, 20];
  const shown = seconds.length > 1 ? seconds : [...seconds, ...seconds];
  const largest = niceCeiling(Math.max(1, ...series.flatMap(([name]) => shown.map((one) => one[name]))));
  const x = (at: number) => left + (at / Math.max(1, shown.length - 1)) * (width - left - 6);
  const y = (value: number) => 8 + (1 - value / largest) * (height - bottom - 8);
  const lines = series.map(
    ([name, label, tone]) =>
      `<path class="${tone}" d="${shown.map((one, at) => `${at === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(one[name]).toFixed(1)}`).join('')}"><title>${label}</title></path>`,
  );
  const grid = [0, 0.5, 1].map(
    (part) =>
      `<line x1="${left}" x2="${width - 6}" y1="${y(largest * part).toFixed(1)}" y2="${y(largest * part).toFixed(1)}"/><text x="${left - 6}" y="${(y(largest * part) + 4).toFixed(1)}" text-anchor="end">${compact(largest * part)}</text>`,
  );
  const legend =
    series.length > 1
      ? series.map(([, label, tone]) => `<span class="${tone}">${label}</span>`).join('')
      : '';
  return `<figure><figcaption>${title}${legend}</figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">${grid.join('')}${lines.join('')}<text x="${left}" y="${height - 4}">0 s</text><text x="${width - 6}" y="${height - 4}" text-anchor="end">${shown.length} s</text></svg></figure>`;
}

function niceCeiling(value: number): number {
  const step = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((one) => one * step).find((one) => one >= value)!;
}

function compact(value: number): string {
  return value >= 10_000 ? `${shortNumber(value / 1000)}k` : shortNumber(value);
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Keys and values come from data: nothing of them may become markup. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}

const styles = `
:root{color-scheme:light dark;--paper:#fcfcfb;--rise:#f4f4f2;--line:#e2e2de;--ink:#1d1d1b;--dim:#6a6a65;--a:#2f6fde;--b:#b4610f;--good:#23824a;--bad:#c22f2f;--heat:#b86e00}
@media (prefers-color-scheme:dark){:root{--paper:#161617;--rise:#1e1e20;--line:#323236;--ink:#ececea;--dim:#9a9a96;--a:#7aa7f5;--b:#e0a05a;--good:#5fbf85;--bad:#f07575;--heat:#e2a33c}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:13px/1.4 system-ui,sans-serif}
main{max-width:1480px;margin:0 auto;padding:32px 24px 48px}
h1{font-size:28px;line-height:1.2;margin:4px 0;letter-spacing:-.01em}h2{font-size:15px;margin:36px 0 12px}h3{font-size:13px;margin:0}
p{margin:0}.dim,small,footer{color:var(--dim)}small{display:block;font-size:12px}
code{font:12px/1.4 ui-monospace,SFMono-Regular,Menlo,monospace;overflow-wrap:anywhere}
.mark{font-weight:600}.good{color:var(--good)}.bad{color:var(--bad)}.hot{color:var(--heat);font-weight:600}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(180px,1fr));margin:24px 0 0;border-block:1px solid var(--line)}
.facts div{padding:12px 16px 12px 0}.facts dt{color:var(--dim)}.facts dd{margin:2px 0 0;font-size:20px;font-variant-numeric:tabular-nums}
.findings{list-style:none;margin:0;padding:0;border-top:1px solid var(--line)}
.findings li{display:grid;grid-template-columns:160px 130px 1fr;gap:16px;padding:8px 0 8px 12px;border-bottom:1px solid var(--line);border-left:3px solid var(--line)}
.findings li>span{grid-column:3}.findings em{font:12px ui-monospace,monospace;color:var(--dim);font-style:normal;white-space:nowrap}
.findings .error{border-left-color:var(--bad)}.findings .warning{border-left-color:var(--heat)}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;min-width:980px}
th{font-weight:500;color:var(--dim);text-align:left;padding:4px 12px 4px 0;border-bottom:1px solid var(--line);white-space:nowrap}
td{padding:8px 12px 8px 0;border-bottom:1px solid var(--line);vertical-align:top}td:first-child{width:20px;font-weight:700}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}td.n{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:12px}
.bar{min-width:130px}.bar span{display:block}.bar i{display:block;height:3px;margin:0 0 4px auto;background:var(--a);border-radius:2px;min-width:1px}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(340px,1fr));gap:20px;margin-bottom:20px}
figure{margin:0}figcaption{display:flex;gap:12px;color:var(--dim);margin-bottom:4px}figcaption span::before{content:'';display:inline-block;width:10px;height:2px;margin-right:5px;vertical-align:middle;background:currentColor}
svg{width:100%;height:auto;display:block}svg line{stroke:var(--line)}svg text{fill:var(--dim);font-size:11px;font-variant-numeric:tabular-nums}
svg path{fill:none;stroke-width:1.6;stroke-linejoin:round}path.line-a{stroke:var(--a)}path.line-b{stroke:var(--b)}path.line-c{stroke:var(--bad)}span.line-a{color:var(--a)}span.line-b{color:var(--b)}
.arms{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:20px 32px;margin-top:12px}
.keys{list-style:none;margin:8px 0 0;padding:0}.keys li{display:grid;grid-template-columns:minmax(0,1fr) 120px 48px;gap:12px;align-items:center;padding:3px 0}.keys b{text-align:right;font-variant-numeric:tabular-nums;font-weight:500}
.meter{height:8px;background:var(--rise);border-radius:4px;overflow:hidden}.meter i{display:block;height:100%;background:var(--heat)}.meter .over{background:var(--bad)}
footer{margin-top:36px;border-top:1px solid var(--line);padding-top:12px}
`;
