import type { Proof } from '../../prove/proof.ts';
import { proofHtml } from '../../prove/proof-html.ts';
import { findingText, forecastText, isProved, proofMarkdown, unitsText } from '../../prove/proof-text.ts';
import { proveDesign } from '../../prove/prove-design.ts';
import { money, shortNumber } from '../../report/figures.ts';
import type { Run } from '../command.ts';
import { Failure } from '../failure.ts';
import type { Styler } from '../output.ts';
import { refuseUnwritable, writeWholeFiles } from '../write-output.ts';
import { derivedFrom, readDesign } from './derive.ts';
import { loadModel } from './load-model.ts';
import type { proveOptions } from './prove-verb.ts';
import { grid, paragraph } from './text-grid.ts';

/** Proves a design on the engine, prints what was found, and fails if something does not hold. */
export const prove: Run<typeof proveOptions> = async (settings, { output, operand, directory }) => {
  const { path, model } = await loadModel(operand, directory, 'prove');
  const given = settings.design.value;
  const design = given === undefined ? derivedFrom(path, model) : readDesign(given);
  const [html, markdown] = [settings.html.value, settings.markdown.value];
  // Found out before the minute that the proof takes.
  for (const file of [html, markdown]) if (file !== undefined) refuseUnwritable(file, 'private');
  const proof = await proveDesign(model, design, {
    seed: settings.seed.value,
    calls: settings.calls.value,
    instances: settings.instances.value,
    seconds: settings.seconds.value,
    load: settings.load.value / 100,
    retry: settings.retry.value,
    onProgress: (text) => output.progress(text),
  });
  const files = new Map<string, string>();
  if (html !== undefined) files.set(html, proofHtml(proof));
  if (markdown !== undefined) files.set(markdown, proofMarkdown(proof));
  writeWholeFiles(files, 'private');
  output.result('proof', { proof }, (style) => proofText(proof, style));
  for (const file of files.keys()) output.log('info', `Wrote ${file}.`);
  if (!proof.passed) {
    const errors = proof.findings.filter(({ severity }) => severity === 'error').length;
    throw new Failure(
      `${model.name} is not proved: ${errors} ${errors === 1 ? 'finding fails' : 'findings fail'} it.`,
    );
  }
};

function proofText(proof: Proof, style: Styler): string {
  const rows = proof.patterns.map((one) => {
    const peak = proof.peak?.patterns.find(({ pattern }) => pattern === one.pattern);
    return [
      isProved(proof, one) ? '✓' : '✗',
      one.pattern,
      one.plan.length > 46 ? `${one.plan.slice(0, 45)}…` : one.plan,
      `${one.agreed}/${one.compared}`,
      shortNumber(one.requestsPerCall),
      shortNumber(one.itemsPerCall),
      unitsText(one),
      forecastText(one),
      peak === undefined ? '' : String(peak.throttles),
      money(one.monthly.onDemand),
    ];
  });
  const head = [
    '',
    'Pattern',
    'Plan',
    'Right',
    'Requests',
    'Items',
    'Units',
    'Forecast',
    'Throttled',
    'Month',
  ];
  const { peak } = proof;
  const lines = [
    `${style('bold', proof.model)}  ${proof.passed ? style('green', 'proved') : style('red', 'not proved')}`,
    '',
    ...grid(head, rows, style),
    '',
  ];
  if (peak !== undefined) {
    lines.push(
      `  Peak: ${peak.requests.toLocaleString('en-US')} requests in ${peak.seconds} simulated seconds, ${peak.throttles.toLocaleString('en-US')} throttled.`,
    );
    for (const { arm, partitions, read, write, hotKeys } of peak.arms) {
      const [hot] = hotKeys;
      const key =
        hot === undefined
          ? ''
          : `; busiest key ${hot.key}: ${shortNumber(hot.read)} R/s, ${shortNumber(hot.write)} W/s`;
      lines.push(
        `  ${arm}: ${shortNumber(read)} R/s, ${shortNumber(write)} W/s on ${partitions} partitions${key}`,
      );
    }
    lines.push('');
  }
  lines.push(
    `  Requests a month: ${money(proof.monthly.onDemand)} on demand, ${money(proof.monthly.provisioned)} provisioned with auto scaling.`,
    ...paragraph(proof.basis, 2).map((line) => style('dim', line)),
  );
  if (proof.findings.length > 0) lines.push('', style('bold', 'Findings'));
  for (const one of proof.findings) {
    const [first, ...rest] = paragraph(findingText(one), 4);
    const colour = one.severity === 'error' ? 'red' : one.severity === 'warning' ? 'yellow' : 'dim';
    lines.push(style(colour, `  • ${first!.trimStart()}`), ...rest);
  }
  return lines.join('\n');
}
