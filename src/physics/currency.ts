import type { PriceTable } from './prices.ts';

/** A currency with what one unit of the price table's currency costs in it. */
export interface Exchange {
  readonly currency: string;
  readonly rate: number;
}

/** Converts the prices of a table to another currency, at a rate that the caller hands in. */
export function inCurrency(prices: PriceTable, { currency, rate }: Exchange): PriceTable {
  if (!/^[A-Z]{3}$/.test(currency) || !(rate > 0) || !Number.isFinite(rate))
    throw new RangeError('an exchange is a currency such as INR with a rate above zero');
  const by = <T extends object>(group: T): T =>
    Object.fromEntries(Object.entries(group).map(([name, price]) => [name, (price as number) * rate])) as T;
  const { STANDARD, STANDARD_INFREQUENT_ACCESS } = prices.classes;
  return {
    ...prices,
    currency,
    exchange: { from: prices.currency, rate },
    classes: { STANDARD: by(STANDARD), STANDARD_INFREQUENT_ACCESS: by(STANDARD_INFREQUENT_ACCESS) },
    reserved: { oneYear: by(prices.reserved.oneYear), threeYears: by(prices.reserved.threeYears) },
    pointInTimeRecoveryGbMonth: prices.pointInTimeRecoveryGbMonth * rate,
    warmBackupGbMonth: prices.warmBackupGbMonth * rate,
    coldBackupGbMonth: prices.coldBackupGbMonth * rate,
    restoreGb: prices.restoreGb * rate,
    exportGb: prices.exportGb * rate,
    importGb: prices.importGb * rate,
    streamReadsMillion: prices.streamReadsMillion * rate,
    captureUnitsMillion: prices.captureUnitsMillion * rate,
  };
}
