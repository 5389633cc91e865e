import { type Entity, eventualLagMs, type ReadPattern, streamLagMs } from './ir.ts';
import { namesOfPredicate } from './predicate-logic.ts';

/** What contradicts the age that a read allows its answer: eventual reads, and copies that a stream refreshes. */
export function freshnessTroubles(
  read: ReadPattern,
  members: readonly Entity[],
  report: (rule: string, message: string, fix?: string) => void,
): void {
  const { freshnessMs, consistency } = read;
  if (freshnessMs === undefined) return;
  const age = ageText(freshnessMs);
  if (freshnessMs < eventualLagMs && consistency === 'eventual')
    report(
      'freshness',
      `its answer may be ${age} old, and eventual reads miss the writes of the last second`,
      'Leave consistency out or make it strong, or let the answer be a second old.',
    );
  if (freshnessMs >= streamLagMs) return;
  const named = new Set([
    ...read.by,
    ...read.where.flatMap(namesOfPredicate),
    ...(read.range === undefined ? [] : [read.range.attribute]),
    ...read.order.map(({ attribute }) => attribute),
  ]);
  for (const entity of members)
    for (const { name, copyOf } of entity.attributes) {
      if (copyOf?.refreshedBy !== 'stream') continue;
      if (!named.has(name) && read.needs !== undefined && !read.needs.includes(name)) continue;
      report(
        'freshness',
        `its answer may be ${age} old, and a stream refreshes "${name}" of ${entity.name} later than that`,
        `Let a transaction refresh "${name}", read ${copyOf.entity}.${copyOf.attribute} itself, or let the answer be ${ageText(streamLagMs)} old.`,
      );
    }
}

/** `no moment`, `2 seconds`, `1 day`. */
export function ageText(ms: number): string {
  if (ms === 0) return 'no moment';
  const units = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1_000, 'second'],
  ] as const;
  const [size, name] = units.find(([size]) => ms >= size && ms % size === 0) ?? [1, 'ms'];
  const amount = ms / size;
  return `${amount} ${name === 'ms' || amount === 1 ? name : `${name}s`}`;
}
