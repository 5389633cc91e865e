import { money, shortNumber } from '../report/figures.ts';
import type { PatternProof, Proof, ProofFinding } from './proof.ts';

export function unitsText({ units }: PatternProof): string {
  const parts = [
    units.read > 0 ? `${shortNumber(units.read)} R` : '',
    units.write > 0 ? `${shortNumber(units.write)} W` : '',
  ];
  return parts.filter(Boolean).join(' + ') || '0';
}

export function forecastText({ units: { forecast } }: PatternProof): string {
  const parts = [
    forecast.read > 0 ? `${shortNumber(forecast.read)} R` : '',
    forecast.write > 0 ? `${shortNumber(forecast.write)} W` : '',
  ];
  return parts.filter(Boolean).join(' + ') || '0';
}

/** Whether a pattern has a finding that fails the proof. */
export function isProved(proof: Proof, { pattern }: PatternProof): boolean {
  return !proof.findings.some((one) => one.pattern === pattern && one.severity === 'error');
}

export function findingText({ severity, rule, pattern, message, fix, awsSignal }: ProofFinding): string {
  const where = pattern === undefined ? '' : ` ${pattern}`;
  const aws = awsSignal === undefined ? '' : ` [AWS toolkit: ${awsSignal}]`;
  return `${severity}${where} (${rule}): ${message}${fix === undefined ? '' : ` ${fix}`}${aws}`;
}

/** The proof as Markdown, for a pull request. */
export function proofMarkdown(proof: Proof): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
  const rows = proof.patterns.map((one) =>
    [
      isProved(proof, one) ? '✓' : '✗',
      `**${cell(one.pattern)}** ${cell(one.description)}`,
      `\`${cell(one.plan)}\``,
      `${one.agreed.toLocaleString('en-US')} of ${one.compared.toLocaleString('en-US')}`,
      shortNumber(one.requestsPerCall),
      unitsText(one),
      forecastText(one),
      money(one.monthly.onDemand),
    ].join(' | '),
  );
  const { peak } = proof;
  const lines = [
    `## ${proof.passed ? '✓ Proved' : '✗ Not proved'}: ${cell(proof.model)}`,
    '',
    '| | Pattern | Plan | Answers | Requests | Units | Forecast | Month |',
    '| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map((row) => `| ${row} |`),
    '',
  ];
  if (peak !== undefined)
    lines.push(
      `Peak: ${peak.requests.toLocaleString('en-US')} requests in ${peak.seconds} simulated seconds, ${peak.throttles.toLocaleString('en-US')} throttled.`,
    );
  lines.push(
    `Requests a month: ${money(proof.monthly.onDemand)} on demand, ${money(proof.monthly.provisioned)} provisioned with auto scaling. ${proof.basis}`,
    '',
  );
  if (proof.findings.length > 0)
    lines.push('### Findings', '', ...proof.findings.map((one) => `- ${cell(findingText(one))}`), '');
  return lines.join('\n');
}
