/**
 * What AWS charges for DynamoDB: one table with a date. Prices are US dollars in us-east-1; other Regions multiply
 * them.
 *
 * The prices are AWS's own (documented: AWS prices, August and October 2026). Those named in `unconfirmed` come from a
 * copy of 2023 or from arithmetic and are in no newer list (inferred). Reserved capacity and the Regions come from
 * AWS's tool for reserved capacity (documented: AWS prices, awslabs/amazon-dynamodb-tools, `reco`), whose figures agree
 * with the documented discounts of 54 % and 77 %. A Region's multiplier is the ratio of its price of a write capacity
 * unit; its other prices differ from that by a few percent.
 *
 * AWS's documents disagree about units: its cost script of August 2026 bills gigabytes of 10⁹ bytes, other calculators
 * binary ones; months have 30 days, 30.5 days or 730 hours. The table states which it takes, and so does every report.
 */
export interface PriceTable {
  /** The month of the prices, for example `2026-10`. */
  readonly asOf: string;
  readonly currency: string;
  /** Where the prices were converted from, and the rate. */
  readonly exchange?: { readonly from: string; readonly rate: number };
  /** Bytes of the gigabyte that storage is billed by. */
  readonly gigabyteBytes: number;
  readonly hoursPerMonth: number;
  readonly classes: Readonly<Record<TableClassName, ClassPrices>>;
  /** Per 100 units, for tables of the Standard class in provisioned mode. */
  readonly reserved: Readonly<Record<ReservedTerm, ReservedPrices>>;
  /** Per gigabyte and month. */
  readonly pointInTimeRecoveryGbMonth: number;
  readonly warmBackupGbMonth: number;
  readonly coldBackupGbMonth: number;
  readonly restoreGb: number;
  readonly exportGb: number;
  readonly importGb: number;
  /** GetRecords calls; those of Lambda and of global tables are free. */
  readonly streamReadsMillion: number;
  /** Change data capture for Kinesis, units of 1 KB. */
  readonly captureUnitsMillion: number;
  readonly freeTier: FreeTier;
  readonly regions: Readonly<Record<string, number>>;
  readonly unconfirmed: readonly string[];
}

export type TableClassName = 'STANDARD' | 'STANDARD_INFREQUENT_ACCESS';
export type ReservedTerm = 'oneYear' | 'threeYears';

export interface ClassPrices {
  readonly readRequestsMillion: number;
  readonly writeRequestsMillion: number;
  readonly replicatedWriteRequestsMillion: number;
  readonly readUnitHour: number;
  readonly writeUnitHour: number;
  readonly replicatedWriteUnitHour: number;
  readonly storageGbMonth: number;
}

export interface ReservedPrices {
  readonly readUpfront: number;
  readonly readHour: number;
  readonly writeUpfront: number;
  readonly writeHour: number;
}

/** Free each month, for as long as an account exists; storage and units of the Standard class only. */
export interface FreeTier {
  readonly storageGb: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly streamReads: number;
}

export const awsPrices: PriceTable = {
  asOf: '2026-10',
  currency: 'USD',
  gigabyteBytes: 1_000_000_000,
  hoursPerMonth: 730,
  classes: {
    STANDARD: {
      readRequestsMillion: 0.125,
      writeRequestsMillion: 0.625,
      replicatedWriteRequestsMillion: 0.625,
      readUnitHour: 0.00013,
      writeUnitHour: 0.00065,
      replicatedWriteUnitHour: 0.00065,
      storageGbMonth: 0.25,
    },
    STANDARD_INFREQUENT_ACCESS: {
      readRequestsMillion: 0.155,
      writeRequestsMillion: 0.78,
      replicatedWriteRequestsMillion: 0.78,
      readUnitHour: 0.00016,
      writeUnitHour: 0.00081,
      replicatedWriteUnitHour: 0.00081,
      storageGbMonth: 0.1,
    },
  },
  reserved: {
    oneYear: { readUpfront: 30, readHour: 0.0025, writeUpfront: 150, writeHour: 0.0128 },
    threeYears: { readUpfront: 36, readHour: 0.0016, writeUpfront: 180, writeHour: 0.0081 },
  },
  pointInTimeRecoveryGbMonth: 0.2,
  warmBackupGbMonth: 0.1,
  coldBackupGbMonth: 0.03,
  restoreGb: 0.15,
  exportGb: 0.1,
  importGb: 0.15,
  streamReadsMillion: 0.2,
  captureUnitsMillion: 0.1,
  freeTier: { storageGb: 25, readUnits: 25, writeUnits: 25, streamReads: 2_500_000 },
  regions: {
    'us-east-1': 1,
    'us-east-2': 1,
    'us-west-2': 1,
    'us-west-1': 1.115,
    'us-gov-east-1': 1.2,
    'us-gov-west-1': 1.2,
    'ca-central-1': 1.1,
    'sa-east-1': 1.5,
    'eu-north-1': 1.074,
    'eu-west-1': 1.131,
    'eu-west-2': 1.188,
    'eu-west-3': 1.188,
    'eu-central-1': 1.22,
    'ap-northeast-2': 1.084,
    'ap-south-1': 1.138,
    'ap-southeast-1': 1.138,
    'ap-southeast-2': 1.138,
    'ap-northeast-1': 1.142,
    'ap-northeast-3': 1.142,
    'ap-east-1': 1.252,
    'me-south-1': 1.244,
    'af-south-1': 1.346,
  },
  unconfirmed: [
    'classes.STANDARD.replicatedWriteUnitHour',
    'classes.STANDARD_INFREQUENT_ACCESS.replicatedWriteRequestsMillion',
    'classes.STANDARD_INFREQUENT_ACCESS.replicatedWriteUnitHour',
    'reserved',
    'coldBackupGbMonth',
    'restoreGb',
    'exportGb',
    'importGb',
    'streamReadsMillion',
    'captureUnitsMillion',
    'regions',
  ],
};
