/** How far something long has come. */
export interface Progress {
  readonly done: number;
  /** About how much there is; undefined if nobody knows. */
  readonly total: number | undefined;
  /** How long this run has taken. */
  readonly seconds: number;
  /** What an earlier run had done. */
  readonly before?: number;
  /** What is counted, in the plural. */
  readonly unit: string;
}

const barCells = 20;

/**
 * A progress bar with its figures, for one line of a terminal: `███████░░░ 34 %  34,000 of 100,000 items · 5,100/s ·
 * 13 s left`. A total that is only about right, as the service counts every few hours, never shows more than 99 %.
 */
export function progressText(
  { done, total, seconds, unit, before = 0 }: Progress,
  more: readonly string[] = [],
): string {
  const rate = (done - before) / Math.max(0.001, seconds);
  if (total === undefined || total === 0)
    return [`${figure(done)} ${unit}`, `${figure(rate)}/s`, ...more].join(' · ');
  const share = Math.min(0.99, done / total);
  const full = Math.round(share * barCells);
  const bar = `${'█'.repeat(full)}${'░'.repeat(barCells - full)}`;
  const left = rate === 0 || done >= total ? [] : [`${duration((total - done) / rate)} left`];
  return [
    `${bar} ${Math.floor(share * 100)} %  ${figure(done)} of ${figure(total)} ${unit}`,
    `${figure(rate)}/s`,
    ...left,
    ...more,
  ].join(' · ');
}

export function figure(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 });
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${figure(seconds / 3_600)} h`;
}
