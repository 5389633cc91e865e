/** Numbers and sizes as people read them. Only counts pass here: values of items are texts and stay as they are. */

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
const fine = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

export function count(value: number): string {
  return whole.format(value);
}

export function shortCount(value: number): string {
  return Math.abs(value) < 10_000 ? whole.format(value) : short.format(value);
}

/** Binary, as all sizes of DynamoDB. */
export function bytes(value: number): string {
  if (value < 1024) return `${whole.format(value)} B`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let size = value / 1024;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${fine.format(size)} ${units[unit]}`;
}

export function units(value: number): string {
  return fine.format(value);
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${whole.format(value)} ${value === 1 ? one : many}`;
}

export function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86_400)} d ago`;
}
