import type { Context } from '../table-view.ts';
import type { Throttled } from './throttled-arm.ts';

/** More Scans than the doctor's own sample makes. */
const scansMin = 10;
const writing = ['PutItem', 'UpdateItem', 'BatchWriteItem', 'TransactWriteItems', 'BatchExecuteStatement'];

export interface Backfill {
  readonly scans: number;
  readonly writes: number;
  /** The share of throttles in the minutes of the job. */
  readonly share: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * A job that scans the table and writes to it. Its signature: nearly all throttles fall into the minutes with Scans, these
 * minutes have far more writes than others, and traffic outside them is not throttled.
 */
export function backfillOf({ view, minutes }: Throttled, { metrics }: Context): Backfill | undefined {
  const counts = (operation: string) =>
    metrics.points(view.name, { metric: 'SuccessfulRequestLatency', operation });
  const scans = counts('Scan').filter(({ value }) => value > 0);
  const total = scans.reduce((sum, { value }) => sum + value, 0);
  if (total < scansMin) return undefined;
  const during = new Set(scans.map(({ atMs }) => atMs));
  const events = minutes.reduce((sum, { value }) => sum + value, 0);
  const inside = minutes.filter(({ atMs }) => during.has(atMs)).reduce((sum, { value }) => sum + value, 0);
  if (events === 0 || inside / events < 0.9) return undefined;
  const writes = writing.flatMap((operation) => counts(operation));
  const rate = (isInside: boolean) => {
    const own = writes.filter(({ atMs }) => during.has(atMs) === isInside);
    const spans = new Set(own.map(({ atMs }) => atMs)).size;
    return spans === 0 ? 0 : own.reduce((sum, { value }) => sum + value, 0) / spans;
  };
  const outside = rate(false);
  // Without traffic outside the job nothing tells the two apart.
  if (outside === 0 || rate(true) < 2 * outside) return undefined;
  const written = writes.filter(({ atMs }) => during.has(atMs)).reduce((sum, { value }) => sum + value, 0);
  return {
    scans: total,
    writes: written,
    share: inside / events,
    fromMs: Math.min(...during),
    toMs: Math.max(...during) + 60_000,
  };
}
