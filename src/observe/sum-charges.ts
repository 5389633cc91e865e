import { type Consumed, sumConsumed } from '../engine/consumed.ts';
import type { Charge } from '../engine/events.ts';

/**
 * What one request consumed of each table: one sum for its reads and one for its writes. A batch or transaction is
 * charged by items, but CloudWatch's samples of consumed units are requests.
 */
export function sumCharges(charges: readonly Charge[]): readonly Charge[] {
  if (charges.length < 2) return charges;
  const sums: { readonly first: Charge; readonly parts: Consumed[] }[] = [];
  for (const charge of charges) {
    const { table, access, consumed } = charge;
    const sum = sums.find(({ first }) => first.table === table && first.access === access);
    if (sum === undefined) sums.push({ first: charge, parts: [consumed] });
    else sum.parts.push(consumed);
  }
  return sums.map(({ first, parts }) => ({ ...first, consumed: sumConsumed(parts) }));
}
