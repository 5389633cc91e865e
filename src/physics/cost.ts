import type { MinuteLoad } from './load-history.ts';
import type { PriceTable, ReservedTerm, TableClassName } from './prices.ts';
import type { ThroughputSettings } from './throughput-settings.ts';

/** Where and how something is billed. */
export interface CostBasis {
  readonly prices: PriceTable;
  readonly region: string;
  readonly tableClass: TableClassName;
}

/** Which prices, gigabytes and months a figure stands on. Every report says so. */
export function describeBasis({ prices, region }: CostBasis): string {
  const { asOf, currency, exchange, gigabyteBytes, hoursPerMonth } = prices;
  const binary = gigabyteBytes === 1024 ** 3 ? ' (binary)' : gigabyteBytes === 1e9 ? ' (decimal)' : '';
  const known = Object.hasOwn(prices.regions, region);
  const where = known ? region : `us-east-1, because no prices of ${region} are known`;
  return (
    `Prices of ${asOf} in ${currency}${exchange === undefined ? '' : ` (1 ${exchange.from} is ${exchange.rate} ${currency}, as given)`} for ${where}; 1 GB is ${gigabyteBytes.toLocaleString('en-US')} bytes${binary}, ` +
    `1 month is ${hoursPerMonth} hours.`
  );
}

/** What a price of us-east-1 is multiplied with; 1 for Regions that the table does not know. */
export function regionMultiplier({ prices, region }: CostBasis): number {
  return Object.hasOwn(prices.regions, region) ? prices.regions[region]! : 1;
}

export interface RequestUnits {
  readonly read: number;
  readonly write: number;
  /** Write units that replicas of a global table consume. */
  readonly replicatedWrite?: number;
}

/** What units cost on demand: of one request, or of any number of them. */
export function requestCost(basis: CostBasis, { read, write, replicatedWrite = 0 }: RequestUnits): number {
  const prices = basis.prices.classes[basis.tableClass];
  const millions =
    read * prices.readRequestsMillion +
    write * prices.writeRequestsMillion +
    replicatedWrite * prices.replicatedWriteRequestsMillion;
  return (millions / 1_000_000) * regionMultiplier(basis);
}

/** What provisioned units cost in an hour, used or not. */
export function provisionedHourCost(
  basis: CostBasis,
  { read, write, replicatedWrite = 0 }: RequestUnits,
): number {
  const prices = basis.prices.classes[basis.tableClass];
  const hour =
    read * prices.readUnitHour +
    write * prices.writeUnitHour +
    replicatedWrite * prices.replicatedWriteUnitHour;
  return hour * regionMultiplier(basis);
}

const reservedBlock = 100;
const termHours: Readonly<Record<ReservedTerm, number>> = { oneYear: 8_760, threeYears: 26_280 };

/** What reserved units cost in an hour, with their share of the payment in advance. They come in blocks of 100. */
export function reservedHourCost(
  basis: CostBasis,
  term: ReservedTerm,
  { read, write }: RequestUnits,
): number {
  const prices = basis.prices.reserved[term];
  const readBlocks = Math.ceil(read / reservedBlock);
  const writeBlocks = Math.ceil(write / reservedBlock);
  const upfront = readBlocks * prices.readUpfront + writeBlocks * prices.writeUpfront;
  const hourly = readBlocks * prices.readHour + writeBlocks * prices.writeHour;
  return (upfront / termHours[term] + hourly) * regionMultiplier(basis);
}

/** What a minute of a table or index cost: its consumption on demand, its provisioned units otherwise. */
export function minuteCost(basis: CostBasis, throughput: ThroughputSettings, load: MinuteLoad): number {
  if (throughput.mode === 'PAY_PER_REQUEST')
    return requestCost(basis, { read: load.readUnits, write: load.writeUnits });
  return provisionedHourCost(basis, throughput) / 60;
}

/** The share of provisioned units that must be used for them to be cheaper than requests on demand. */
export function breakEvenUse({ prices, tableClass }: CostBasis): {
  readonly read: number;
  readonly write: number;
} {
  const { readUnitHour, writeUnitHour, readRequestsMillion, writeRequestsMillion } =
    prices.classes[tableClass];
  const use = (unitHour: number, requestsMillion: number) =>
    (unitHour * 1_000_000) / (requestsMillion * 3600);
  return { read: use(readUnitHour, readRequestsMillion), write: use(writeUnitHour, writeRequestsMillion) };
}

/** Copies of whole tables: how many are kept, and how many are made in a month. */
export interface TableCopies {
  /** On-demand backups that are kept, in warm storage and in cold. */
  readonly backups?: number;
  readonly coldBackups?: number;
  readonly restores?: number;
  readonly exports?: number;
  readonly imports?: number;
}

/**
 * What copies of whole tables are billed by. Backups and exports count tables with their local indexes; a restore counts
 * everything that it restores, global indexes too (the service's page on prices). Imports are billed by their source,
 * which is taken to be as large as the items.
 */
export function copiedBytes(
  copies: TableCopies,
  bytes: { readonly items: number; readonly withLocalIndexes: number; readonly withAllIndexes: number },
): Pick<
  MonthlyUse,
  'warmBackupBytes' | 'coldBackupBytes' | 'restoredBytes' | 'exportedBytes' | 'importedBytes'
> {
  const { backups = 0, coldBackups = 0, restores = 0, exports: exported = 0, imports = 0 } = copies;
  return {
    warmBackupBytes: backups * bytes.withLocalIndexes,
    coldBackupBytes: coldBackups * bytes.withLocalIndexes,
    restoredBytes: restores * bytes.withAllIndexes,
    exportedBytes: exported * bytes.withLocalIndexes,
    importedBytes: imports * bytes.items,
  };
}

/** What a table with its indexes does and holds in a month. Everything left out is zero. */
export interface MonthlyUse {
  /** Units consumed on demand. */
  readonly requests?: RequestUnits;
  /** Units provisioned all month. */
  readonly provisioned?: RequestUnits;
  /** Units of those that are reserved. */
  readonly reserved?: { readonly term: ReservedTerm; readonly read: number; readonly write: number };
  /** Billed bytes of items and index entries, with their overhead. */
  readonly storedBytes?: number;
  readonly recoveryBytes?: number;
  readonly warmBackupBytes?: number;
  readonly coldBackupBytes?: number;
  readonly restoredBytes?: number;
  readonly exportedBytes?: number;
  readonly importedBytes?: number;
  /** GetRecords calls that are billed. */
  readonly streamReads?: number;
  readonly captureUnits?: number;
  /** Whether the free tier of the account is for this use alone. */
  readonly withFreeTier?: boolean;
}

export interface CostLine {
  readonly what: string;
  readonly quantity: number;
  readonly unit: string;
  readonly cost: number;
}

export interface MonthlyCost {
  readonly lines: readonly CostLine[];
  readonly total: number;
  readonly basis: string;
}

/** The bill of a month, line by line. */
export function monthlyCost(basis: CostBasis, use: MonthlyUse): MonthlyCost {
  const { prices, tableClass } = basis;
  const isStandard = tableClass === 'STANDARD';
  const free = use.withFreeTier === true ? prices.freeTier : undefined;
  const lines: CostLine[] = [];
  const add = (what: string, quantity: number | undefined, unit: string, cost: number): void => {
    if (quantity !== undefined && quantity > 0) lines.push({ what, quantity, unit, cost });
  };
  const { requests } = use;
  if (requests !== undefined) {
    const { read, write, replicatedWrite = 0 } = requests;
    add('read requests', read, 'units', requestCost(basis, { read, write: 0 }));
    add('write requests', write, 'units', requestCost(basis, { read: 0, write }));
    add(
      'replicated write requests',
      replicatedWrite,
      'units',
      requestCost(basis, { read: 0, write: 0, replicatedWrite }),
    );
  }
  addProvisioned(basis, use, add);
  const gigabytes = (bytes = 0) => bytes / prices.gigabyteBytes;
  const multiplier = regionMultiplier(basis);
  const addBytes = (
    what: string,
    bytes: number | undefined,
    price: number,
    unit: string,
    freeGb = 0,
  ): void => {
    const billed = Math.max(0, gigabytes(bytes) - freeGb);
    add(what, gigabytes(bytes), unit, billed * price * multiplier);
  };
  const { storageGbMonth } = prices.classes[tableClass];
  addBytes('storage', use.storedBytes, storageGbMonth, 'GB-months', isStandard ? free?.storageGb : 0);
  addBytes('point-in-time recovery', use.recoveryBytes, prices.pointInTimeRecoveryGbMonth, 'GB-months');
  addBytes('backups, warm', use.warmBackupBytes, prices.warmBackupGbMonth, 'GB-months');
  addBytes('backups, cold', use.coldBackupBytes, prices.coldBackupGbMonth, 'GB-months');
  addBytes('restores', use.restoredBytes, prices.restoreGb, 'GB');
  addBytes('exports', use.exportedBytes, prices.exportGb, 'GB');
  addBytes('imports', use.importedBytes, prices.importGb, 'GB');
  const streamReads = Math.max(0, (use.streamReads ?? 0) - (free?.streamReads ?? 0));
  add('stream reads', use.streamReads, 'calls', (streamReads / 1e6) * prices.streamReadsMillion * multiplier);
  const capture = ((use.captureUnits ?? 0) / 1e6) * prices.captureUnitsMillion * multiplier;
  add('change data capture', use.captureUnits, 'units', capture);
  return { lines, total: lines.reduce((sum, { cost }) => sum + cost, 0), basis: describeBasis(basis) };
}

function addProvisioned(
  basis: CostBasis,
  { provisioned, reserved, withFreeTier }: MonthlyUse,
  add: (what: string, quantity: number | undefined, unit: string, cost: number) => void,
): void {
  if (provisioned === undefined) return;
  const { prices, tableClass } = basis;
  const hours = prices.hoursPerMonth;
  const isStandard = tableClass === 'STANDARD';
  const free = withFreeTier === true && isStandard ? prices.freeTier : undefined;
  // Reserved capacity exists for the Standard class only.
  const own = isStandard ? reserved : undefined;
  const rest = (units: number, ownUnits = 0, freeUnits = 0) => Math.max(0, units - ownUnits - freeUnits);
  const read = rest(provisioned.read, own?.read, free?.readUnits);
  const write = rest(provisioned.write, own?.write, free?.writeUnits);
  const { replicatedWrite = 0 } = provisioned;
  const hour = (units: RequestUnits) => provisionedHourCost(basis, units) * hours;
  add('provisioned reads', provisioned.read, 'units', hour({ read, write: 0 }));
  add('provisioned writes', provisioned.write, 'units', hour({ read: 0, write }));
  add(
    'provisioned replicated writes',
    replicatedWrite,
    'units',
    hour({ read: 0, write: 0, replicatedWrite }),
  );
  if (own === undefined) return;
  const reservedCost = (units: RequestUnits) => reservedHourCost(basis, own.term, units) * hours;
  add('reserved reads', own.read, 'units', reservedCost({ read: own.read, write: 0 }));
  add('reserved writes', own.write, 'units', reservedCost({ read: 0, write: own.write }));
}
