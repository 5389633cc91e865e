/**
 * Whether texts and bytes contain others, in time that grows with the sum of both lengths. `String.includes` and
 * `Buffer.indexOf` take the product of both in the worst case: 10 s for "a…ab" of 150 KB in 1 MB of "a".
 *
 * Knuth, Morris and Pratt's search: `fallback[i]` is the length of the longest proper prefix of the part that ends before
 * its unit `i`, and says where to go on after a mismatch. No unit of the whole is read again.
 */

/** Where searches and comparisons add up their steps: about 20 to 100 ns each (`model/slices.ts`). */
export interface StepCount {
  steps: number;
  /** Beyond so many steps, a search or comparison ends without a meaningful result. */
  readonly cutAt: number;
}

/** Counts the steps of what follows. False if they are too many: then it is not done. */
export function mayTake(steps: number, work: StepCount | undefined): boolean {
  if (work === undefined) return true;
  work.steps += steps;
  if (work.steps <= work.cutAt) return true;
  work.steps = work.cutAt + 1;
  return false;
}

/** Up to this length the product is as small as a sum, and the engine's own search is several times faster. */
const shortPartMax = 16;

export function textContains(whole: string, part: string, work?: StepCount): boolean {
  if (part.length > whole.length) return false;
  if (!mayTake(whole.length >> 5, work)) return false;
  if (part.length <= shortPartMax) return whole.includes(part);
  // Most texts have the beginning of a long part at few places or none. Comparing them all may take the product again, so
  // the comparisons may take the length of the whole together.
  const beginning = part.slice(0, shortPartMax);
  let left = whole.length;
  for (let at = whole.indexOf(beginning); at !== -1; at = whole.indexOf(beginning, at + 1)) {
    if (left < 0) {
      return mayTake(whole.length >> 3, work) && searched(whole, part, at);
    }
    if (whole.startsWith(part, at)) return true;
    left -= part.length;
  }
  return false;
}

function searched(whole: string, part: string, start: number): boolean {
  const { length } = part;
  const units = new Uint16Array(length);
  for (let i = 0; i < length; i++) units[i] = part.charCodeAt(i);
  const fallback = fallbackOf(units);
  let matched = 0;
  for (let at = start; at < whole.length; at++) {
    const unit = whole.charCodeAt(at);
    while (matched > 0 && units[matched] !== unit) matched = fallback[matched]!;
    if (units[matched] === unit && ++matched === length) return true;
  }
  return false;
}

export function bytesContain(whole: Uint8Array, part: Uint8Array, work?: StepCount): boolean {
  const { length } = part;
  if (length > whole.length) return false;
  if (!mayTake(whole.length >> 3, work)) return false;
  if (length === 0) return true;
  const fallback = fallbackOf(part);
  let matched = 0;
  for (let at = whole.indexOf(part[0]!); at >= 0 && at < whole.length; at++) {
    const unit = whole[at]!;
    while (matched > 0 && part[matched] !== unit) matched = fallback[matched]!;
    if (part[matched] === unit && ++matched === length) return true;
  }
  return false;
}

function fallbackOf(part: Uint8Array | Uint16Array): Int32Array {
  const fallback = new Int32Array(part.length);
  let matched = 0;
  for (let i = 1; i < part.length; i++) {
    fallback[i] = matched;
    while (matched > 0 && part[matched] !== part[i]) matched = fallback[matched]!;
    if (part[matched] === part[i]) matched++;
  }
  return fallback;
}
