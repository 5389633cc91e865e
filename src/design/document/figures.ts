/** Numbers as people read them. */

/** 1234.5 → `1,235`; small numbers keep what matters of their fraction. */
export function figure(value: number): string {
  if (value === 0) return '0';
  if (value >= 100) return grouped(String(Math.round(value)));
  if (value >= 10) return trimmed(value.toFixed(1));
  return trimmed(value.toFixed(value >= 0.1 ? 2 : 3));
}

/** 12_000_000 → `12 M`. */
export function shortCount(value: number): string {
  const steps: readonly [number, string][] = [
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ];
  for (const [size, letter] of steps) {
    if (value >= size) return `${trimmed((value / size).toFixed(value / size >= 100 ? 0 : 1))} ${letter}`;
  }
  return figure(value);
}

export function shortBytes(value: number): string {
  return value < 1_024 ? `${Math.round(value)} B` : `${trimmed((value / 1_024).toFixed(1))} KB`;
}

export function dollars(value: number): string {
  return value >= 100 ? `$${grouped(String(Math.round(value)))}` : `$${value.toFixed(2)}`;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}

function trimmed(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
