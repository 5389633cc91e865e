import { type PricedHour, type PricedLoad, priceMinutes } from './physics/price-minutes.ts';
import { awsPrices, type TableClassName } from './physics/prices.ts';
import { readPrices } from './physics/read-prices.ts';

export type { ServerReport, TableReport, ToldVerdict } from './engine/capacity/physics-report.ts';
export type { PricedHour };
/** Prices a report by a price file of the user: JSON with the prices that differ from AWS's. */
export function pricedByFile(
  text: string,
  report: {
    readonly region: string;
    readonly tableClass: TableClassName;
    readonly resources: readonly PricedLoad[];
  },
): PricedHour {
  const { region, tableClass, resources } = report;
  return priceMinutes({ prices: readPrices(text, awsPrices), region, tableClass }, resources);
}
