/**
 * Every limit of DynamoDB in one place, with the unit last in the name and the source beside it. "KB" is 1,024 bytes
 * throughout. Quotas that AWS can raise for an account are marked soft: they are the defaults.
 *
 * `docs/evidence.md` says what the marks in the comments stand for.
 */

const KB = 1024;
const MB = 1024 * KB;
const GB = 1024 * MB;

/** Limits of an item and its parts. */
export const itemLimits = {
  /** Names and values together (documented: Developer Guide, Constraints). */
  itemBytesMax: 400 * KB,
  /**
   * Partition key value; for B the raw bytes (documented: Developer Guide, Constraints). An empty key is refused, so
   * the least is 1.
   */
  partitionKeyBytesMax: 2_048,
  /** Sort key value (documented: Developer Guide, Constraints). */
  sortKeyBytesMax: 1_024,
  keyBytesMin: 1,
  /** 65,535 is accepted and 65,536 refused, whatever "64 KB" in the guide suggests (observed: public captures). */
  attributeNameBytesMax: 65_535,
  /**
   * Names of key attributes, of projected non-key attributes and of the TTL attribute (documented: service model;
   * documented: Developer Guide, Constraints).
   */
  keyAttributeNameLengthMax: 255,
  /**
   * Levels of a document; the attribute itself is the first (documented: Developer Guide, Constraints; observed: public
   * captures, the edge).
   */
  nestingLevelsMax: 32,
  /**
   * Levels of an expression's value in a transaction, which checks only what is stored (observed: conformance suite, 30
   * of 33 Regions, October 2026).
   */
  transactionValueLevelsMax: 33,
  /**
   * Levels of a value that the newer validation layer reads; the older layer answers deeper ones (observed: public
   * captures).
   */
  newerLayerLevelsMax: 63,
  /** Significant digits of a number (documented: Developer Guide, Constraints). */
  numberDigitsMax: 38,
  /** The exponent of the first digit: magnitudes 1E-130 … 9.99…E+125 (documented: Developer Guide, Constraints). */
  numberMagnitudeMin: -130,
  numberMagnitudeMax: 125,
} as const;

/** The keys, indexes and projected names of a table. */
export const tableLimits = {
  /** One HASH and at most one RANGE; the same for a local index (documented: Developer Guide, Constraints). */
  tableKeyAttributesMax: 2,
  /**
   * Global indexes may have keys of several attributes since November 2025 (documented: Developer Guide,
   * GSI.DesignPattern.MultiAttributeKeys).
   */
  globalIndexHashAttributesMax: 4,
  globalIndexRangeAttributesMax: 4,
  localIndexesMax: 5,
  /** Soft (documented: Developer Guide, ServiceQuotas). */
  globalIndexesMax: 20,
  /** Per table (observed: public captures). */
  vectorIndexesMax: 5,
  /** INCLUDE names of one index (documented: service model, NonKeyAttributeNameList). */
  nonKeyAttributesPerIndexMax: 20,
  /**
   * INCLUDE names of all indexes of a table together; a name in two indexes counts twice (documented: Developer Guide,
   * Constraints).
   */
  nonKeyAttributesPerTableMax: 100,
  /**
   * Items and local index entries of one partition key, in a table that has local indexes (documented: Developer Guide,
   * Constraints).
   */
  itemCollectionBytesMax: 10 * GB,
  /**
   * Names of tables and indexes (documented: service model; documented: Developer Guide, Constraints). The data plane
   * accepts one character and then finds no table (observed: public captures).
   */
  tableNameLengthMin: 3,
  tableNameLengthMax: 255,
  /** TableName as name or ARN (documented: service model). */
  tableArnLengthMax: 1_024,
  /** Tags of a table (documented: service model, in characters). */
  tagsMax: 50,
  tagKeyLengthMax: 128,
  tagValueLengthMax: 256,
  /** Resource policy, counted with its white space (documented: Developer Guide, Constraints). */
  resourcePolicyBytesMax: 20 * KB,
  resourcePolicyIntervalSecondsMin: 15,
} as const;

/** Limits of one request and its answer. */
export const requestLimits = {
  /**
   * Body of a request; the same figure bounds a BatchWriteItem and a BatchGetItem's answer (documented: API Reference;
   * observed: public captures).
   */
  bodyBytesMax: 16 * MB,
  headersBytesMax: 16 * KB,
  requestLineBytesMax: 16 * KB,
  batchGetKeysMax: 100,
  batchGetTablesMax: 100,
  batchGetBytesMax: 16 * MB,
  /** The bytes that BatchGetItem returns of one partition (documented: API Reference). */
  batchGetPartitionBytesMax: 1 * MB,
  batchWriteRequestsMax: 25,
  batchWriteTablesMax: 25,
  batchWriteBytesMax: 16 * MB,
  transactionItemsMax: 100,
  /**
   * The bytes of the request's own items, in effect (documented: Developer Guide, Constraints; observed: public
   * captures).
   */
  transactionBytesMax: 4 * MB,
  /** Data evaluated by one page of Query, Scan or ExecuteStatement, before filtering (documented: API Reference). */
  pageBytesMax: 1 * MB,
  limitMin: 1,
  scanSegmentsMax: 1_000_000,
  statementLengthMax: 8_192,
  batchStatementsMax: 25,
  transactionStatementsMax: 100,
  nextTokenLengthMax: 32_768,
  clientRequestTokenLengthMax: 36,
  /** ListTables and ListBackups. */
  listPageMax: 100,
  listExportsPageMax: 25,
  listBulkOperationsPageDefault: 10,
} as const;

/** Expressions of all kinds (documented: Developer Guide, Constraints; observed: public captures, the edge). */
export const expressionLimits = {
  expressionBytesMax: 4 * KB,
  operatorsMax: 300,
  inOperandsMax: 100,
  pathElementsMax: 32,
  /** The highest list index, a signed 32-bit integer (observed: public suites before 2024). */
  listIndexMax: 2_147_483_647,
  /** A placeholder, including its sign. */
  placeholderBytesMax: 255,
  /** All names and values that a request substitutes together. */
  substitutionBytesMax: 2 * MB,
} as const;

/**
 * Units of capacity, and the capacity of partitions (documented: Developer Guide, CapacityUnitCalculations,
 * HowItWorks.Partitions).
 */
export const capacityLimits = {
  readUnitBytes: 4 * KB,
  writeUnitBytes: 1 * KB,
  partitionBytesMax: 10 * GB,
  partitionReadUnitsPerSecondMax: 3_000,
  partitionWriteUnitsPerSecondMax: 1_000,
  /** Unused capacity that a partition may spend later (documented: Developer Guide, burst-adaptive-capacity). */
  burstSeconds: 300,
  onDemandInitialReadUnitsPerSecond: 12_000,
  onDemandInitialWriteUnitsPerSecond: 4_000,
  /**
   * Exceeding double the previous peak within this time may throttle (documented: Developer Guide,
   * on-demand-capacity-mode).
   */
  onDemandPeakWindowMinutes: 30,
  provisionedUnitsMin: 1,
  /** The upper bound in the request check, far above any quota (observed: public suites before 2024). */
  provisionedUnitsRequestMax: 1_000_000_000_000,
  /** Soft (documented: Developer Guide, ServiceQuotas); also the ceiling of OnDemandThroughput. */
  tableUnitsPerSecondMax: 40_000,
  /** Soft, provisioned mode only (documented: Developer Guide, ServiceQuotas). */
  accountUnitsPerSecondMax: 80_000,
  /**
   * Decreases at any time of a UTC day; then one more per hour without a decrease (documented: Developer Guide,
   * ServiceQuotas).
   */
  decreasesPerDayFree: 4,
  decreasesPerDayMax: 27,
  decreaseIntervalSecondsMin: 3_600,
  /**
   * Switches from provisioned to on-demand in 24 hours, since August 2025 (documented: Developer Guide, Constraints).
   */
  switchesToOnDemandPerDayMax: 4,
  /** Table class changes in 30 days. */
  tableClassChangesMax: 2,
  tableClassChangesDays: 30,
  reservedUnitsMax: 1_000_000,
  /**
   * Bytes that billing adds per item and per index entry. The item's size does not contain them
   * (documented: Developer Guide, CapacityUnitCalculations).
   */
  billedOverheadBytes: 100,
  billedReplicaOverheadBytes: 48,
} as const;

/** Spans of time. */
export const timeLimits = {
  clientRequestTokenMinutes: 10,
  clientTokenHours: 8,
  streamRetentionHours: 24,
  shardIteratorMinutes: 15,
  recoveryPeriodDaysMin: 1,
  recoveryPeriodDaysMax: 35,
  /** UpdateTimeToLive, once in about half an hour (observed: public captures), although an hour is documented. */
  timeToLiveChangeMinutesMin: 31,
  kinesisPrecisionChangesPerDayMax: 3,
  signatureSkewMinutesMax: 15,
} as const;

/** DynamoDB Streams (documented: service model; documented: API Reference). */
export const streamLimits = {
  recordsPageMax: 1_000,
  recordsPageBytesMax: 1 * MB,
  listPageMax: 100,
  readersPerShardMax: 2,
  shardIdLengthMin: 28,
  shardIdLengthMax: 65,
  shardIteratorLengthMax: 2_048,
  sequenceNumberDigitsMin: 21,
  sequenceNumberDigitsMax: 40,
} as const;

/**
 * Kinesis data streams as destinations (documented: Developer Guide, kds; documented: API Reference, Kinesis
 * PutRecords).
 */
export const kinesisLimits = {
  /** The age of the oldest waiting record at which a destination is given up. */
  deliveryHoursMax: 168,
  recordsPerRequestMax: 500,
  requestBytesMax: 5 * MB,
  /** Data and partition key of one record; a stream can be set to more since 2025. */
  recordBytesMax: 1 * MB,
} as const;

/** ARNs of backups, exports, imports and streams, and of what is tagged or has a policy (documented: service model). */
export const arnLimits = {
  partLengthMin: 37,
  partLengthMax: 1_024,
  resourceLengthMax: 1_283,
  kmsKeyIdLengthMax: 2_048,
} as const;

/** Backups, contributor insights and policies (documented: service model). */
export const settingLimits = {
  backupsPageMax: 100,
  contributorInsightsPageMax: 100,
  policyRevisionIdLengthMax: 255,
  /** ListExports, ListImports. */
  transfersPageMax: 25,
} as const;
