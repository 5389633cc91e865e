import { awsPrices, type PriceTable } from './physics/prices.ts';
import { readPrices } from './physics/read-prices.ts';

/** The price list that designs are priced by: AWS's, or a user's own over it. */
export function priceTable(text?: string): PriceTable {
  return text === undefined ? awsPrices : readPrices(text, awsPrices);
}
