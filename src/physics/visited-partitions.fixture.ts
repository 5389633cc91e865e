import { partOf, partStart } from '../model/keys/hash-segments.ts';
import { compareBytes } from '../model/values/bytes.ts';

/**
 * The naive count of the partitions, all alike, that a page of a Scan visits: those between the hashes where it began and where it ended. Each of
 * them costs at least the least read, even if nothing is in it.
 */
export function partitionsVisited(
  partitions: number,
  first: Uint8Array,
  end: { readonly last: Uint8Array } | { readonly before: Uint8Array | undefined },
): number {
  const lastPart = 'last' in end ? partOf(end.last, partitions) : partBefore(end.before, partitions);
  return Math.max(1, lastPart - partOf(first, partitions) + 1);
}

/** The part of the hash just below another; of the highest, if there is no other. */
function partBefore(hash: Uint8Array | undefined, parts: number): number {
  if (hash === undefined) return parts - 1;
  const part = partOf(hash, parts);
  return compareBytes(partStart(part, parts)!, hash) === 0 ? part - 1 : part;
}
