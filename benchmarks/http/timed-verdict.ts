import type { Turns } from './lap.ts';

/**
 * Turns that are measured for so long, after a while that warms up. The time runs from the first of them, so that
 * there is one even when the machine stood still for longer than both.
 */
export function timedVerdict(
  { warmUpSeconds, seconds }: { readonly warmUpSeconds: number; readonly seconds: number },
  start: number,
): Turns['verdict'] {
  const warmUntil = start + warmUpSeconds * 1_000;
  let from: number | undefined;
  return (_, now) => {
    if (now < warmUntil) return 'unmeasured';
    from ??= now;
    return now < from + seconds * 1_000 ? 'measured' : 'stop';
  };
}
