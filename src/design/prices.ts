/** Unit prices, as much as a design needs. A dated table of Regions fits behind it. */
export interface Prices {
  /** Dollars for one write request unit. */
  readonly writeUnit: number;
  /** Dollars for one read request unit. */
  readonly readUnit: number;
  /** Dollars for one GB of storage in a month. */
  readonly storageGbMonth: number;
  readonly secondsPerMonth: number;
}

/** On-demand list prices of us-east-1, Standard class, August 2026. */
export const listPrices: Prices = {
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  storageGbMonth: 0.25,
  secondsPerMonth: 30 * 86_400,
};

/** What the service adds to each item and each index entry when it bills storage. */
export const storageOverheadBytes = 100;
