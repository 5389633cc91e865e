import type { CompiledDesign, Design, Model } from '../design/index.ts';
import type { Sample } from '../workload/scale-model.ts';
import type { PatternProof, PeakPattern, PeakProof, ProofFinding } from './proof.ts';
import type { Tally } from './prove-patterns.ts';

export interface Evidence {
  readonly model: Model;
  readonly design: Design;
  readonly compiled: CompiledDesign;
  readonly proofs: readonly PatternProof[];
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly peak: PeakProof | undefined;
  readonly sample: Sample;
}

/** Differences between forecast and run that are told. */
const forecastTolerance = 0.05;
/** The share of a pattern's calls that the peak may leave out without a word. */
const idleShare = 0.05;
const pageCapBytes = 0.9 * 900 * 1024;

export function findingsOf(evidence: Evidence): ProofFinding[] {
  return [
    ...evidence.proofs.flatMap((proof) => patternFindings(proof, evidence)),
    ...peakFindings(evidence),
    ...awsFindings(evidence),
  ];
}

function patternFindings(proof: PatternProof, { tallies, compiled }: Evidence): ProofFinding[] {
  const { pattern, units } = proof;
  const tally = tallies.get(pattern)!;
  const findings: ProofFinding[] = [];
  if (tally.calls === 0) {
    findings.push({
      severity: 'warning',
      rule: 'not called',
      pattern,
      message: 'No instance of the sample is in a state in which it could be called.',
      fix: 'Draw a larger sample with --instances.',
    });
    return findings;
  }
  if (tally.idle > 0 || tally.conditionFailed > 0) {
    const done = tally.calls - tally.conditionFailed;
    findings.push({
      severity: 'note',
      rule: 'called less often',
      pattern,
      message: `${done} of ${tally.calls + tally.idle} calls were made: for ${tally.idle} no instance was in the right state, ${tally.conditionFailed} were refused by their condition.`,
      fix: 'Draw a larger sample with --instances.',
    });
  }
  if (proof.agreed < proof.compared) {
    const wrong = proof.compared - proof.agreed;
    findings.push({
      severity: 'error',
      rule: proof.kind === 'read' ? 'wrong answer' : 'wrong item',
      pattern,
      message: `${wrong} of ${proof.compared} calls differ from a filter over all instances: ${tally.wrongs[0] ?? ''}`,
    });
  }
  if (units.differing > 0)
    findings.push({
      severity: 'error',
      rule: 'units differ',
      pattern,
      message: `${units.differing} calls were charged other units than their items let expect. ${tally.costs[0] ?? ''}`,
    });
  const plan = compiled.reads.get(pattern)?.plan;
  if (
    plan !== undefined &&
    !plan.fetch &&
    proof.requestsPerCall > plan.calls + 1e-9 &&
    plan.limit !== 'all' &&
    plan.filter.length === 0
  )
    findings.push({
      severity: 'error',
      rule: 'more calls than planned',
      pattern,
      message: `A page took ${proof.requestsPerCall.toFixed(2)} requests, and the plan promises ${plan.calls}.`,
    });
  for (const kind of ['read', 'write'] as const) {
    const [run, forecast] = [units[kind], units.forecast[kind]];
    if (run === 0 || plan?.filter.length) continue;
    const delta = forecast === 0 ? Number.POSITIVE_INFINITY : Math.abs(run - forecast) / run;
    if (delta > forecastTolerance)
      findings.push({
        severity: 'note',
        rule: 'forecast differs',
        pattern,
        message: `A call took ${run.toFixed(2)} ${kind} units in the run; the distributions let expect ${forecast.toFixed(2)}.`,
        ...(delta > 0.1 ? { awsSignal: 'large_expected_observed_delta_patterns' } : {}),
      });
  }
  return findings;
}

function peakFindings({ peak }: Evidence): ProofFinding[] {
  if (peak === undefined) return [];
  const findings: ProofFinding[] = [];
  const hot = new Set(
    peak.arms.flatMap(({ hotKeys }) =>
      hotKeys.filter(({ read, write }) => read > 2_850 || write > 950).map(({ key }) => key),
    ),
  );
  // Two keys that each fit a partition may meet in one; what retries add to them does not make either a hot key.
  const isAlone = (key: string | undefined) => key !== undefined && hot.has(key);
  const isLosing = peak.patterns.some((one) => isLost(one));
  for (const { text, key } of peak.verdicts.slice(0, 10)) {
    const isShared = !isAlone(key) && /KeyRange/.test(text);
    findings.push({
      severity: isShared && !isLosing ? 'warning' : 'error',
      rule: isShared ? 'keys share a partition' : 'hot key',
      message: text,
      ...(isShared
        ? {
            fix: 'Give the model less headroom, so that hot keys get more shards and two of them fit one partition.',
          }
        : { awsSignal: 'key_skew_patterns' }),
    });
  }
  for (const one of peak.patterns) {
    // A few that a retry saves are life in a cloud; calls that are lost are not.
    if (one.throttles > 0)
      findings.push({
        severity: isLost(one) ? 'error' : 'warning',
        rule: 'throttled pattern',
        pattern: one.pattern,
        message: `${one.throttles.toLocaleString('en-US')} requests were throttled; ${one.throttledCalls.toLocaleString('en-US')} of ${one.calls.toLocaleString('en-US')} calls failed after their retries.`,
        awsSignal: 'persistent_throttles',
      });
    if (one.failed > 0)
      findings.push({
        severity: 'error',
        rule: 'failed calls',
        pattern: one.pattern,
        message: `${one.failed} of ${one.calls} calls failed for another reason than throttling.`,
        awsSignal:
          one.failed / Math.max(1, one.calls) >= 0.5 ? 'pattern_high_error_rate' : 'pattern_minor_errors',
      });
    const due = one.calls + one.idle;
    if (one.idle > idleShare * due)
      findings.push({
        severity: 'note',
        rule: 'below its peak',
        pattern: one.pattern,
        message: `The peak called it ${one.calls.toLocaleString('en-US')} times instead of ${due.toLocaleString('en-US')}: for the others no instance was in the state that it needs.`,
        fix: 'Draw a larger sample with --instances, or raise the rate of what leads into that state.',
      });
    const lost = one.conditionFailed / Math.max(1, one.calls);
    if (lost > 0.01)
      findings.push({
        severity: lost >= 0.5 ? 'warning' : 'note',
        rule: 'lost races',
        pattern: one.pattern,
        message: `${(lost * 100).toFixed(1)} % of its calls lost a race: somebody else had changed the item meanwhile.`,
        fix: 'Let callers read again and retry.',
        awsSignal: lost >= 0.5 ? 'pattern_artifact_error_rate' : 'pattern_minor_errors',
      });
  }
  return findings;
}

/** More than one call in a thousand was given up after its retries. */
function isLost({ throttledCalls, calls }: PeakPattern): boolean {
  return throttledCalls / Math.max(1, calls) > 0.001;
}

/** What AWS's design toolkit reports of a benchmark, in its own names. */
function awsFindings({ proofs, design, peak, compiled }: Evidence): ProofFinding[] {
  const findings: ProofFinding[] = [];
  const total = proofs.reduce((sum, { monthly }) => sum + monthly.onDemand, 0);
  for (const proof of proofs) {
    const share = total === 0 ? 0 : proof.monthly.onDemand / total;
    const throttles = peak?.patterns.find(({ pattern }) => pattern === proof.pattern)?.throttles ?? 0;
    if (share > 0.2)
      findings.push({
        severity: share > 0.4 && throttles > 0 ? 'warning' : 'note',
        rule: 'dominant cost',
        pattern: proof.pattern,
        message: `It causes ${(share * 100).toFixed(0)} % of the price of all requests.`,
        awsSignal: 'dominant_cost_patterns',
      });
    const read = compiled.reads.get(proof.pattern);
    if (read?.pattern.consistency === 'strong' && share > 0.1)
      findings.push({
        severity: 'note',
        rule: 'strong reads',
        pattern: proof.pattern,
        message: `Its strong reads cost twice as much as eventual ones, and are ${(share * 100).toFixed(0)} % of the price of all requests.`,
        awsSignal: 'strong_read_overhead',
      });
    if (
      read !== undefined &&
      proof.units.read * 8_192 * (read.pattern.consistency === 'strong' ? 0.5 : 1) >= pageCapBytes
    )
      findings.push({
        severity: 'warning',
        rule: 'page at the cap',
        pattern: proof.pattern,
        message: 'A page comes near the 1 MB at which the service cuts it.',
        awsSignal: 'page_cap_hits',
      });
    findings.push(...amplification(proof, design));
  }
  return findings;
}

function amplification(proof: PatternProof, design: Design): ProofFinding[] {
  if (proof.kind !== 'write') return [];
  const base = proof.units.arms
    .filter(({ arm }) => !arm.includes('/'))
    .reduce((sum, { write }) => sum + write, 0);
  const indexes = proof.units.arms
    .filter(({ arm }) => arm.includes('/'))
    .reduce((sum, { write }) => sum + write, 0);
  const projections = design.tables.flatMap((table) =>
    table.indexes.map(({ projection }) => projection.type),
  );
  const implied = { ALL: 1, INCLUDE: 0.3, KEYS_ONLY: 0.1 };
  const least = Math.min(...projections.map((type) => implied[type]), 1);
  const ratio = base === 0 ? 0 : indexes / base;
  if (ratio <= 1.15 * least || ratio <= 1) return [];
  return [
    {
      severity: 'note',
      rule: 'index writes',
      pattern: proof.pattern,
      message: `Its indexes take ${ratio.toFixed(1)} times the units of its tables.`,
      fix: 'Project less, or keep what changes often out of index keys.',
      awsSignal: 'high_gsi_amplification',
    },
  ];
}
