import type { KeyCondition, QueriedKey } from '../../expressions/key-condition.ts';
import { pathsOf } from '../../expressions/key-paths.ts';
import type { Condition } from '../../expressions/tree.ts';
import { type DynamoError, validationError } from '../../model/errors.ts';
import { indexBounds, type KeyBounds, tableBounds } from '../../model/keys/key-bounds.ts';
import { equalValues } from '../../model/values/attribute-value.ts';
import { compareBytes } from '../../model/values/bytes.ts';
import type { KeyRead } from './key-reads.ts';

/** A read with the alternative of the WHERE clause that it is for. */
export interface BranchRead extends KeyRead {
  readonly branch: readonly Condition[];
  /** Whether it may overlap with others. */
  readonly isLoose: boolean;
}

/** A branch that says of its RANGE attributes only what they are not, by NOT or `<>`. */
export function isLoose(
  branch: readonly Condition[],
  { condition }: KeyRead,
  { range }: QueriedKey,
): boolean {
  if (condition.equal.length > 0 || condition.range !== undefined) return false;
  const names = new Set(range.map(({ name }) => name));
  const isNegated = (part: Condition) =>
    part.kind === 'not' || (part.kind === 'compare' && part.comparator === '<>');
  return branch.some((part) => isNegated(part) && pathsOf(part).some(([name]) => names.has(name)));
}

/**
 * No item may be read twice. Reads that overlap are refused, but for those that are loose: the service answers the
 * union of what they select (observed: public captures, two Regions, October 2026). Here all reads of their partition
 * become one.
 */
export function withoutOverlaps(
  reads: readonly BranchRead[],
  isIndex: boolean,
): readonly KeyRead[] | DynamoError {
  if (reads.length === 1) return reads;
  const bounds = reads.map(({ condition }) => boundsOf(condition, isIndex));
  const joined = new Set<BranchRead>();
  for (let i = 1; i < reads.length; i++) {
    for (let k = 0; k < i; k++) {
      const [a, b] = [reads[i]!, reads[k]!];
      if (!inOnePartition(a, b) || !intersect(bounds[i]!, bounds[k]!)) continue;
      if (!a.isLoose && !b.isLoose) {
        return validationError('Overlapping conditions with range keys are not supported in where clause');
      }
      joined.add(b);
    }
  }
  if (joined.size === 0) return reads;
  const isJoined = (read: BranchRead) => [...joined].some((other) => inOnePartition(read, other));
  const kept = reads.filter((read, i) => !isJoined(read) || firstOfPartition(reads, read) === i);
  return kept.map((read) => (isJoined(read) ? wholePartition(reads, read) : read));
}

function firstOfPartition(reads: readonly BranchRead[], read: BranchRead): number {
  return reads.findIndex((each) => inOnePartition(each, read));
}

/** One read for all that are in a partition. */
function wholePartition(reads: readonly BranchRead[], read: BranchRead): KeyRead {
  const branches = reads.filter((each) => inOnePartition(each, read)).map(({ branch }) => branch);
  return {
    condition: { hash: read.condition.hash, equal: [], range: undefined },
    filter: {
      kind: 'or',
      conditions: branches.map((branch) => ({ kind: 'and', conditions: branch })),
    },
  };
}

export function inOnePartition(a: KeyRead, b: KeyRead): boolean {
  return a.condition.hash.every((value, i) => equalValues(value, b.condition.hash[i]!));
}

/** Where in its partition a read looks, whatever the partition. */
export function boundsOf({ equal, range }: KeyCondition, isIndex: boolean): KeyBounds {
  return isIndex ? indexBounds(anyPartition, equal, range) : tableBounds(anyPartition, range);
}

const anyPartition = new Uint8Array([0]);

function intersect(a: KeyBounds, b: KeyBounds): boolean {
  return isBefore(a.from, b.to) && isBefore(b.from, a.to);
}

function isBefore(from: Uint8Array, to: Uint8Array | undefined): boolean {
  return to === undefined || compareBytes(from, to) < 0;
}
