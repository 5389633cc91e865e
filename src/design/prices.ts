import { regionMultiplier } from '../physics/cost.ts';
import { awsPrices, type PriceTable, type TableClassName } from '../physics/prices.ts';

/** Unit prices of one Region and table class on demand, as much as a design needs. */
export interface Prices {
  /** Dollars for one write request unit. */
  readonly writeUnit: number;
  /** Dollars for one read request unit. */
  readonly readUnit: number;
  /** Dollars for one GB of storage in a month. */
  readonly storageGbMonth: number;
  /** Bytes of the gigabyte that storage is billed by. */
  readonly gigabyteBytes: number;
  readonly secondsPerMonth: number;
}

/** Unit prices out of the one price table, which physics and cost reports read too. */
export function unitPrices(
  table: PriceTable,
  region = 'us-east-1',
  tableClass: TableClassName = 'STANDARD',
): Prices {
  const factor = regionMultiplier({ prices: table, region, tableClass });
  const { writeRequestsMillion, readRequestsMillion, storageGbMonth } = table.classes[tableClass];
  return {
    writeUnit: (writeRequestsMillion * factor) / 1e6,
    readUnit: (readRequestsMillion * factor) / 1e6,
    storageGbMonth: storageGbMonth * factor,
    gigabyteBytes: table.gigabyteBytes,
    secondsPerMonth: table.hoursPerMonth * 3_600,
  };
}

/** On-demand list prices of us-east-1, Standard class. */
export const listPrices: Prices = unitPrices(awsPrices);

/** What the service adds to each item and each index entry when it bills storage. */
export const storageOverheadBytes = 100;
