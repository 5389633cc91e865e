import { type Exchange, inCurrency } from './physics/currency.ts';
import { awsPrices, type PriceTable } from './physics/prices.ts';
import { readPrices } from './physics/read-prices.ts';

/** The price list that designs are priced by: AWS's, or a user's own over it, in another currency if one is given. */
export function priceTable(text?: string, exchange?: Exchange): PriceTable {
  const prices = text === undefined ? awsPrices : readPrices(text, awsPrices);
  return exchange === undefined ? prices : inCurrency(prices, exchange);
}
