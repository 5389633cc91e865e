const levels = ' ▁▂▃▄▅▆▇█';

/** A line of a chart: one character for each value, against the largest or a ceiling. */
export function sparkline(values: readonly number[], width: number, ceiling?: number): string {
  const shown = squeezed(values, width);
  const most = ceiling ?? Math.max(...shown, 0);
  return shown
    .map((value) => {
      if (!(value > 0) || !(most > 0)) return ' ';
      return levels[Math.min(8, Math.max(1, Math.ceil((value / most) * 8)))]!;
    })
    .join('');
}

const shades = ' ░▒▓█';

/** A row of a heat picture: the share of what a partition gives. */
export function heatLine(values: readonly number[], throttles: readonly number[], width: number): string {
  const [shown, refused] = [squeezed(values, width), squeezed(throttles, width)];
  return shown
    .map((value, at) => {
      if (refused[at]! > 0) return '×';
      return shades[value <= 0.01 ? 0 : Math.min(4, Math.ceil(value * 4))]!;
    })
    .join('');
}

/** At most `width` values: each the largest of those that fall together. */
function squeezed(values: readonly number[], width: number): number[] {
  if (values.length <= width) return [...values];
  return Array.from({ length: width }, (_, at) => {
    const from = Math.floor((at * values.length) / width);
    const to = Math.max(from + 1, Math.floor(((at + 1) * values.length) / width));
    return Math.max(...values.slice(from, to));
  });
}
