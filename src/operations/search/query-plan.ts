import type { EntrySink } from '../../engine/reads/read-range.ts';
import type { KeyCondition } from '../../expressions/key-condition.ts';
import { meetsRange } from '../../expressions/meets-key-condition.ts';
import { indexBounds, tableBounds } from '../../model/keys/key-bounds.ts';
import { type Hash16, partitionPrefix } from '../../model/keys/keys.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import type { ReadConsistency } from '../../physics/units.ts';
import type { TargetPlan } from './page-answer.ts';
import type { ReadTarget } from './read-target.ts';
import { storeKeyOf } from './start-key.ts';

/** The parameters of a page besides the key condition. */
export interface QueryPage<Sink extends EntrySink> {
  /** The start key, already checked against the key condition. */
  readonly startKey: Item | undefined;
  readonly limit: number | undefined;
  readonly reverse: boolean;
  readonly fetches: boolean;
  readonly consistency: ReadConsistency;
  readonly sink: Sink;
}

/** Plans a page of one partition, for a Query or a PartiQL statement. */
export function queryPlan<Sink extends EntrySink>(
  target: ReadTarget,
  condition: KeyCondition,
  { startKey, limit, reverse, fetches, consistency, sink }: QueryPage<Sink>,
  h16: Hash16,
): TargetPlan & { readonly sink: Sink } {
  const partition = partitionPrefix(target.prefix, condition.hash, h16);
  const { from, to, exact } =
    target.index === undefined
      ? tableBounds(partition, condition.range)
      : indexBounds(partition, condition.equal, condition.range);
  return {
    target,
    from,
    to,
    reverse,
    after: startKey && { key: storeKeyOf(target, startKey, h16), item: startKey },
    limit,
    accepts: exact ? undefined : (item) => meetsRange(condition, target.key, item),
    range: target.key.range,
    hash: condition.hash,
    fetches,
    consistency,
    scanned: undefined,
    sink,
  };
}
