/** `stator/design`: access patterns first. A model in, a table with a certificate out. Loads neither engine nor Node. */

export type { PriceTable } from '../physics/prices.ts';
export {
  type CapacityPlan,
  type CapacityPlanOptions,
  capacityPlan,
  type PlanCost,
  PriceFileError,
  readPrices,
  type Workload,
} from './capacity-plan.ts';
export type {
  Certificate,
  Claim,
  HeatClaim,
  HeatLine,
  Proof,
  RefutationNode,
} from './certificate/certificate.ts';
export { hottestShard } from './certificate/certificate.ts';
export { checkCertificate } from './certificate/check-certificate.ts';
export { checkDesign } from './certificate/check-design.ts';
export type { AwsSignal } from './check/aws-signals.ts';
export { type CheckReport, check, refusalReport } from './check/check.ts';
export { type CheckId, type CheckRule, checkList } from './check/check-list.ts';
export { atLeast, type Finding, type Measure, type Severity } from './check/finding.ts';
export {
  type Forecast,
  forecast,
  type PartitionForecast,
  type ReadForecast,
  type WriteForecast,
} from './check/forecast.ts';
export { junit, sarif } from './check/sarif.ts';
export { checkModel, troublesOf } from './check-model.ts';
export { type CompiledDesign, type CompileOptions, compile } from './compile/compile.ts';
export type { Invariant, InvariantKind, WhyRefused } from './compile/invariants.ts';
export type { Found, Page, ReadOptions } from './compile/read-plan.ts';
export type { Bounds } from './compile/read-range.ts';
export {
  type Answer,
  type AttributeJson,
  type Done,
  type ItemJson,
  isDone,
  type OperationName,
  PatternError,
  type Request,
  type Round,
  run,
  type Send,
} from './compile/requests.ts';
export type { Value, Values } from './compile/values.ts';
export type { Addition, Arguments } from './compile/write-actions.ts';
export type { WriteArguments, WriteOptions, Written } from './compile/write-plan.ts';
export { type CreateTableRequest, createTableRequest, createTableRequests } from './create-table.ts';
export { type DeriveOptions, derive } from './derive/derive.ts';
export type * from './design.ts';
export { designFormat } from './design.ts';
export { cleanupBetween } from './diff/diff-tables.ts';
export {
  type Change,
  type EntityCleanup,
  type EntityWork,
  type MigrationForecast,
  type MigrationPlan,
  type ModelVersion,
  migrationFormat,
  migrationKey,
  type Phase,
  phases,
  type RollbackPoint,
  type Step,
  type StepCost,
  type StepKind,
} from './diff/migration-plan.ts';
export { movingCopy, phaseVersion } from './diff/phase-version.ts';
export { type GivenVersion, type MigrationOptions, planId, planMigration } from './diff/plan-migration.ts';
export { modelDocument } from './document/document.ts';
export { storedModel } from './embed/stored-model.ts';
export { type EmitOptions, emit, emitTables, type TableFormat } from './emit/emit.ts';
export { type EmitFormat, emitFormats } from './emit/formats.ts';
export { type IamOptions, iamPolicies, type PolicyDocument, type PolicyStatement } from './emit/iam.ts';
export {
  type KeyAttribute,
  type PhysicalIndex,
  type PhysicalOptions,
  type PhysicalTable,
  physicalTables,
} from './emit/physical-table.ts';
export type { Imported, ImportFormat, ImportNote } from './import/draft.ts';
export { type ImportOptions, importContent, importFormats } from './import/import.ts';
export { ImportError } from './import/place.ts';
export type * from './ir.ts';
export { modelFormat } from './ir.ts';
export { modelSchema } from './json/model-schema.ts';
export { readModel, writeModel } from './json/read-model.ts';
export { templateText } from './key-pieces.ts';
export { attributeText, keyText, type PlainValue, type ShardHash, shardOf } from './key-text.ts';
export {
  type AttributeSpec,
  binary,
  choice,
  copy,
  date,
  distinct,
  epoch,
  flag,
  type HeldBy,
  id,
  levels,
  list as listOf,
  map,
  number,
  type OptionalSpec,
  of,
  optional,
  path,
  plainText,
  text,
  time,
} from './language/attribute-specs.ts';
export { count, type EntityDefinition, entity, per } from './language/entity.ts';
export { bucket, inverted, shard } from './language/key-template.ts';
export { type ModelSpec, type ModelTypes, model, type TypedModel } from './language/model.ts';
export { among, compare, equals, exists } from './language/predicates.ts';
export {
  get,
  list,
  type ReadDefinition,
  type ReadTypes,
  type ReadTypesOf,
} from './language/read.ts';
export { type FrequencyText, type FreshnessText, hot, type Traffic, zipf } from './language/traffic.ts';
export {
  add,
  change,
  create,
  remembered,
  remove,
  require,
  type StepDefinition,
  type StepTypes,
  type StepTypesOf,
  type WriteDefinition,
  write,
} from './language/write.ts';
export { ModelError, type Trouble } from './model-error.ts';
export { canonical as predicateText } from './predicate-logic.ts';
export { listPrices, type Prices, unitPrices } from './prices.ts';
