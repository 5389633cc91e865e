/**
 * Chooses what to drop of too many entries that several accounts share: of the accounts with the most entries, those that
 * were unused for the longest time. An account that makes thousands of entries thus loses its own, and no other's.
 */
export function leastUsedOfLargest<Entry>(
  entries: Iterable<Entry>,
  count: number,
  accountOf: (entry: Entry) => string,
  useOf: (entry: Entry) => number,
): readonly Entry[] {
  const byAccount = new Map<string, Entry[]>();
  for (const entry of entries) {
    const account = accountOf(entry);
    const own = byAccount.get(account);
    if (own === undefined) byAccount.set(account, [entry]);
    else own.push(entry);
  }
  const share = shareAfter(
    [...byAccount.values()].map(({ length }) => length),
    count,
  );
  const byUse = (a: Entry, b: Entry) => useOf(a) - useOf(b) || 0;
  const candidates = [...byAccount.values()].flatMap((own) =>
    own.length <= share ? [] : own.sort(byUse).slice(0, own.length - share),
  );
  return candidates.sort(byUse).slice(0, count);
}

/** The largest share that leaves at least `count` entries beyond it. */
function shareAfter(sizes: readonly number[], count: number): number {
  const descending = sizes.toSorted((a, b) => b - a);
  let sum = 0;
  for (const [index, size] of descending.entries()) {
    sum += size;
    const share = Math.floor((sum - count) / (index + 1));
    if (share >= (descending[index + 1] ?? 0)) return share;
  }
  return 0;
}
