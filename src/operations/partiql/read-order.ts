import type { QueriedKey } from '../../expressions/key-condition.ts';
import type { OrderTerm } from '../../expressions/partiql/statement-tree.ts';
import { type DynamoError, validationError } from '../../model/errors.ts';
import { compareKeyValues } from '../../model/values/attribute-value.ts';
import { compareBytes } from '../../model/values/bytes.ts';
import type { KeyRead } from './key-reads.ts';
import { boundsOf, inOnePartition } from './overlapping-reads.ts';

/** What ORDER BY needs to be served: a WHERE clause that names partitions, and key attributes to order by. */
export function checkOrder(
  order: readonly OrderTerm[],
  key: QueriedKey,
  reads: readonly KeyRead[] | 'scan' | 'all',
): DynamoError | undefined {
  if (order.length === 0) return undefined;
  if (reads === 'all') {
    return validationError('Must have WHERE clause in the statement when using ORDER BY clause.');
  }
  const names = new Set([...key.hash, ...key.range].map(({ name }) => name));
  const stranger = order.find(({ attribute }) => !names.has(attribute));
  if (stranger !== undefined) {
    return validationError(
      `Attribute ${stranger.attribute} in ORDER BY clause must be part of the primary key`,
    );
  }
  if (reads === 'scan') {
    return validationError(
      'Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.',
    );
  }
  const ordersPartitions = key.hash.some(({ name }) => order.some(({ attribute }) => attribute === name));
  if (ordersPartitions || reads.every((read) => inOnePartition(read, reads[0]!))) return undefined;
  return validationError(
    'Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.',
  );
}

/** Reads in the order in which they are done, and the direction of each. */
export interface OrderedReads {
  readonly reads: readonly KeyRead[];
  readonly reverse: boolean;
}

/**
 * Without ORDER BY reads are done in the order of the text and each from its start. A statement that orders by the
 * partition key alone has its items in descending order of the sort key, with ASC and with DESC (observed: public
 * captures, September 2026); with several RANGE attributes the first that is named decides.
 */
export function orderedReads(
  reads: readonly KeyRead[],
  order: readonly OrderTerm[],
  key: QueriedKey,
  isIndex: boolean,
): OrderedReads {
  if (order.length === 0) return { reads, reverse: false };
  const termOf = (name: string) => order.find(({ attribute }) => attribute === name);
  const range = key.range.map(({ name }) => termOf(name)).find((term) => term !== undefined);
  const reverse = range?.descending ?? true;
  const hash = key.hash.map(({ name }) => termOf(name));
  const sorted = [...reads].sort((a, b) => {
    for (const [i, term] of hash.entries()) {
      const value = compareKeyValues(a.condition.hash[i]!, b.condition.hash[i]!) ?? 0;
      if (value !== 0) return term?.descending ? -value : value;
    }
    const place = compareBytes(boundsOf(a.condition, isIndex).from, boundsOf(b.condition, isIndex).from);
    return reverse ? -place : place;
  });
  return { reads: sorted, reverse };
}
