/** Finds the candidate that a mistyped word most likely meant. Returns undefined if none is near enough to help. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const typed = plain(word);
  let best: string | undefined;
  // A third of the letters may be wrong; in short words, one.
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(typed, plain(candidate));
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Removes the differences that people overlook: dashes, underscores and capitals. */
function plain(word: string): string {
  return word.replace(/[-_]/g, '').toLowerCase();
}

/**
 * The number of letters to add, drop, change or swap with their neighbour to turn one word into the other. This is
 * Levenshtein's distance with Damerau's swap, because `--prot` is one slip and not two.
 */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (same ? 0 : 1),
        swapped ? beforeLast[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length]!;
}
