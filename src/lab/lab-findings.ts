import { count, percent, shortNumber } from '../report/figures.ts';
import type { LabFinding, RunReport } from './lab-report.ts';

type Unjudged = Omit<RunReport, 'findings'>;

/** What a colleague would point at: causes before effects, each with what helps. */
export function findingsOf(run: Unjudged): LabFinding[] {
  return [
    ...throttlingFindings(run),
    ...errorFindings(run),
    ...callFindings(run),
    ...lagFindings(run),
    ...capacityFindings(run),
  ];
}

function throttlingFindings({ verdicts, totals }: Unjudged): LabFinding[] {
  return verdicts.slice(0, 5).map(({ arm, cause, kind, text, refused }) => {
    const isIndex = arm.includes('/');
    const rule =
      cause === 'KeyRangeThroughputExceeded'
        ? text.includes('no table setting helps')
          ? 'hot key'
          : 'hot partition'
        : cause === 'ProvisionedThroughputExceeded'
          ? isIndex && kind === 'write'
            ? 'index holds up its table'
            : 'too little provisioned'
          : 'quota';
    const isRare = refused < totals.requests / 1_000 && totals.gaveUp === 0;
    return { severity: isRare ? 'warning' : 'error', rule, message: text };
  });
}

function errorFindings({ patterns }: Unjudged): LabFinding[] {
  return patterns.flatMap(({ pattern, errors }) =>
    errors.map(({ name, count: times, message }) => {
      const isLarge = message.includes('Item size');
      return {
        severity: 'error' as const,
        rule: isLarge ? 'item too large' : 'failing calls',
        message: `${pattern} failed ${count(times)} times with ${name}: ${message}`,
        ...(isLarge && {
          fix: 'An item that grows with every event reaches 400 KB some day, and every append is charged by its whole size. Make each element an item of its own.',
        }),
      };
    }),
  );
}

function callFindings({ patterns, totals, clients, retry }: Unjudged): LabFinding[] {
  const findings: LabFinding[] = [];
  for (const { pattern, calls, gaveUp } of patterns)
    if (gaveUp > 0)
      findings.push({
        severity: 'error',
        rule: 'lost calls',
        message: `${count(gaveUp)} of ${count(calls)} calls of ${pattern} (${percent(gaveUp / calls)}) were given up after throttling.`,
      });
  const amplification = totals.requests / Math.max(1, totals.calls);
  if (amplification >= 1.5 && totals.retries > 0)
    findings.push({
      severity: 'warning',
      rule: 'retry storm',
      message: `${count(totals.retries)} retries: the table met ${shortNumber(amplification)} requests for each call. ${count(clients)} clients, retry mode ${retry}.`,
      fix: 'Adaptive retries hold back; fewer attempts and longer pauses make the storm smaller; what is over the limit has to be queued or dropped.',
    });
  for (const { pattern, calls, conflicts, conditionFailed } of patterns) {
    if (conflicts >= calls / 1_000 && conflicts > 0)
      findings.push({
        severity: conflicts >= calls / 20 ? 'error' : 'warning',
        rule: 'conflicts',
        message: `${count(conflicts)} of ${count(calls)} calls of ${pattern} (${percent(conflicts / calls)}) met a transaction under way on the same item.`,
        fix: 'Spread what many transactions write over several items, or take it out of the transaction.',
      });
    if (conditionFailed >= calls / 10 && conditionFailed > 0)
      findings.push({
        severity: 'note',
        rule: 'failed conditions',
        message: `The condition of ${pattern} did not hold in ${count(conditionFailed)} of ${count(calls)} calls. They are charged all the same.`,
      });
  }
  return findings;
}

function lagFindings({ consumers, totals }: Unjudged): LabFinding[] {
  const findings: LabFinding[] = consumers
    .filter(({ maxLagMs }) => maxLagMs >= 5_000)
    .map(({ pattern, maxLagMs, p50LagMs }) => ({
      severity: 'warning',
      rule: 'consumer lag',
      message: `${pattern} was up to ${count(maxLagMs / 1000)} seconds behind its table, ${shortNumber(p50LagMs / 1000)} in the middle.`,
      fix: 'More work at a time per shard, larger batches, or a filter before the consumer.',
    }));
  if (totals.stale > 0)
    findings.push({
      severity: 'note',
      rule: 'stale reads',
      message: `${count(totals.stale)} eventually consistent reads showed an older state.`,
    });
  return findings;
}

function capacityFindings({ arms, totals }: Unjudged): LabFinding[] {
  return arms
    .filter(({ mode }) => mode === 'provisioned')
    .flatMap(({ arm, series, cost }) => {
      const capacity = series.writeCapacity.reduce((total, one) => total + one, 0);
      const used = series.write.reduce((total, one) => total + one, 0);
      if (capacity === 0 || used / capacity >= 0.3 || cost < totals.cost / 10) return [];
      return [
        {
          severity: 'note' as const,
          rule: 'idle capacity',
          message: `${arm} used ${percent(used / capacity)} of the write units that it was paid for.`,
        },
      ];
    });
}
