import type { Forecast, ReadForecast } from './forecast.ts';
import type { Subject } from './subject.ts';

/**
 * The findings that AWS's agent toolkit names and that need no traffic, under its names and with its thresholds
 * (`design_findings.json`, as of August 2026). The toolkit measures; here the forecast stands in for the measurement.
 */
export interface AwsSignal {
  readonly signal:
    | 'dominant_cost_patterns'
    | 'high_gsi_amplification'
    | 'strong_read_overhead'
    | 'page_cap_hits';
  readonly category: 'design';
  readonly severity: 'high' | 'medium' | 'low';
  readonly pattern_ids: readonly string[];
  readonly evidence: Readonly<Record<string, number | string>>;
}

/** Prices of the toolkit: only their ratio matters for shares. */
const unitPrice = { write: 0.625, read: 0.125 } as const;
const dominantShare = 0.2;
const strongShare = 0.1;
/** 0.9 of the 900 KiB to which the toolkit caps a page. */
const pageCapBytes = 0.9 * 900 * 1024;
/** What the toolkit expects an index to cost for each unit on the table. */
const impliedAmplification = { ALL: 1, INCLUDE: 0.3, KEYS_ONLY: 0.1 } as const;

export function awsSignals({ forecast, design }: Subject): AwsSignal[] {
  const costs = costsOf(forecast);
  const all = costs.reduce((sum, { cost }) => sum + cost, 0);
  const shares = costs.map((one) => ({ ...one, share: all === 0 ? 0 : one.cost / all }));
  const signals: AwsSignal[] = [];
  for (const { name, share } of shares.filter((one) => one.share > dominantShare))
    signals.push(signal('dominant_cost_patterns', 'medium', name, { share: rounded(share) }));
  for (const { name, share, strong } of shares)
    if (strong && share > strongShare)
      signals.push(signal('strong_read_overhead', 'medium', name, { share: rounded(share) }));
  for (const { pattern, plan, bytes } of forecast.reads)
    if (plan.operation === 'Query' && bytes >= pageCapBytes)
      signals.push(signal('page_cap_hits', 'medium', pattern.name, { bytes: Math.round(bytes) }));
  const indexes = design.tables.flatMap((table) => table.indexes.filter(({ kind }) => kind === 'global'));
  for (const { pattern, tableUnits, indexUnits } of forecast.writes) {
    const ratio = [...indexUnits.values()].reduce((sum, units) => sum + units, 0) / Math.max(1, tableUnits);
    // The toolkit compares the sum over all indexes with each index by itself, so that two of them always fire.
    for (const { name, projection } of indexes) {
      const implied = impliedAmplification[projection.type];
      if (ratio <= 1.15 * implied || ratio <= 0.01 || (indexUnits.get(name) ?? 0) === 0) continue;
      signals.push(
        signal('high_gsi_amplification', ratio > 2 * implied ? 'high' : 'medium', pattern.name, {
          ...{ index: name, ratio: rounded(ratio), implied },
        }),
      );
    }
  }
  return signals;
}

function signal(
  name: AwsSignal['signal'],
  severity: AwsSignal['severity'],
  pattern: string,
  evidence: AwsSignal['evidence'],
): AwsSignal {
  return { signal: name, category: 'design', severity, pattern_ids: [pattern], evidence };
}

/** The toolkit extrapolates the declared peak over the month, and leaves index writes out of the base table's cost. */
function costsOf({ reads, writes }: Forecast) {
  const unitsOf = ({ units, fetchUnits }: ReadForecast) => units + fetchUnits;
  return [
    ...reads.map((read) => ({
      name: read.pattern.name,
      cost: unitsOf(read) * read.pattern.rate.peak * unitPrice.read,
      strong: read.pattern.consistency === 'strong',
    })),
    ...writes.map(({ pattern, tableUnits }) => ({
      name: pattern.name,
      cost: tableUnits * pattern.rate.peak * unitPrice.write,
      strong: false,
    })),
  ];
}

function rounded(value: number): number {
  return Number(value.toFixed(3));
}
