import { readFileSync } from 'node:fs';
import type { PriceTable } from '../design/index.ts';
import { priceTable } from '../design-prices.ts';
import { Failure, messageOf } from './failure.ts';
import { exchangeOf } from './price-flags.ts';

type Given<T> = { readonly [K in keyof T]: { readonly value: number } };

export function copiesOf(
  settings: Given<Record<'backups' | 'coldBackups' | 'restores' | 'exports' | 'imports', unknown>>,
) {
  const { backups, coldBackups, restores, exports: exported, imports } = settings;
  return {
    backups: backups.value,
    coldBackups: coldBackups.value,
    restores: restores.value,
    exports: exported.value,
    imports: imports.value,
  };
}

/** The built-in list, or that of a file, in the currency that was asked for. */
export function pricesFrom(file: string | undefined, currency: string | undefined): PriceTable {
  const exchange = currency === undefined ? undefined : exchangeOf(currency);
  if (file === undefined) return priceTable(undefined, exchange);
  try {
    return priceTable(readFileSync(file, 'utf8'), exchange);
  } catch (error) {
    throw new Failure(`${file}: ${messageOf(error)}`, undefined, error);
  }
}

/** Formats amounts of a currency, such as `$1,234.50` or `₹1,234.50`. */
export function moneyIn(currency: string): (value: number) => string {
  const format = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  return (value) => format.format(value);
}
