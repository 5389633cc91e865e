/** Figures as reports show them. Digits are grouped by our own code, so that every version of Node shows the same. */
export function shortNumber(value: number): string {
  if (value === 0) return '0';
  if (Math.abs(value) >= 100) return count(value);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2).replace(/\.?0+$/, '');
}

export function money(value: number): string {
  const [whole, cents] = Math.abs(value).toFixed(2).split('.');
  return `${value < 0 ? '-' : ''}$${grouped(whole!)}.${cents}`;
}

/** A price that may be a small part of a cent. */
export function fineMoney(value: number): string {
  return value !== 0 && Math.abs(value) < 1 ? `$${value.toFixed(4)}` : money(value);
}

export function count(value: number): string {
  const rounded = Math.round(value);
  return `${rounded < 0 ? '-' : ''}${grouped(String(Math.abs(rounded)))}`;
}

export function compact(value: number): string {
  return value >= 10_000 ? `${shortNumber(value / 1000)}k` : shortNumber(value);
}

export function percent(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 10 ? value.toFixed(value < 1 ? 2 : 1).replace(/\.0$/, '') : Math.round(value)} %`;
}

/** The next of 1, 2, 5, 10, 20 … that is not less. */
export function niceCeiling(value: number): number {
  for (let step = 1e-6; ; step *= 10)
    for (const one of [1, 2, 5]) {
      const ceiling = step >= 1 ? Math.round(one * step) : one * step;
      if (ceiling >= value) return ceiling;
    }
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',');
}
