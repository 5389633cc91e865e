/** `stator/client`: a model's patterns as typed functions over a client of the AWS SDK. Loads neither engine nor Node. */

export type { Invariant, InvariantKind } from '../design/compile/invariants.ts';
export { PatternError } from '../design/compile/requests.ts';
export { type ClientOptions, client } from './client.ts';
export { CommandMismatchError, InvariantError, UnprocessedError } from './errors.ts';
export type { MigrationChoice } from './migration-phases.ts';
export { type ListPage, Pages } from './pages.ts';
export type { SdkClient, SdkCommands } from './sender.ts';
export type {
  App,
  EntityCalls,
  ItemOf,
  KeyOf,
  ListOptions,
  ReadCall,
  StepValues,
  UpdateOptions,
  Upgrades,
  WriteCall,
  WriteCallOptions,
  WriteResult,
} from './types.ts';
