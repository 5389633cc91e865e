export type { TableReport, ToldVerdict } from './engine/capacity/physics-report.ts';
export type { CheckOptions, CheckProgress } from './engine/check/check-database.ts';
export {
  type CheckReport,
  type Finding,
  type FindingKind,
  findingTitles,
  type Unjudged,
} from './engine/check/check-report.ts';
export type { ArmedFault, Fault, FaultError, Faults } from './engine/faults.ts';
export type { KinesisOptions } from './kinesis/choose-deliverer.ts';
export type { KinesisRecord } from './kinesis/memory-deliverer.ts';
export type { KinesisCredentials } from './kinesis/stream-deliverer.ts';
export { type Authorize, accessDenied, type Requester } from './model/access/authorize.ts';
export type { Intent } from './model/access/intent.ts';
export type { Principal, PrincipalKind, Session, StatedPrincipal } from './model/access/principal.ts';
export {
  type LeadingKeys,
  type Selected,
  unknownKeys,
  type WantedItems,
  type WantedTable,
} from './model/access/wanted-items.ts';
export type { TableQuotas } from './model/tables/table-quotas.ts';
export type { StoreChoice } from './open-store.ts';
export type * from './operations/all-operations.ts';
export type { Estimate, Explanation } from './operations/partiql/explain-statement.ts';
export type { ChangesOptions, ItemVersion, PastChange } from './past-changes.ts';
export type { PastTime, PastView } from './past-view.ts';
export type { LagDistribution, LagSpread } from './physics/lag-spread.ts';
export type { PhysicsEffect, PhysicsMode, PhysicsOverrides } from './physics/modes.ts';
export type { PhysicsOptions } from './physics-option.ts';
export type { Change, ChangeFeed, FollowOptions } from './plain/follow-changes.ts';
export type { CallOptions } from './plain/plain-call.ts';
export { ServiceError } from './plain/service-error.ts';
export { type Clock, VirtualClock } from './runtime/clock.ts';
export type {
  DynamoDBClient,
  DynamoDBClientConfig,
  DynamoDBDocumentClient,
  DynamoDBStreamsClient,
  TranslateConfig,
} from './sdk/sdk-types.ts';
export type { ListenOptions, StatorServer } from './server.ts';
export { Stator } from './stator.ts';
export type { ForkOptions, StatorOptions } from './stator-options.ts';
export { StoreError, type Trouble } from './storage/store-error.ts';
