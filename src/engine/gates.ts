import type { DynamoError } from '../model/errors.ts';
import type { Caller, Charge } from './events.ts';
import type { IndexRefusal, Touch } from './road.ts';

/** Says who may do what: one error or none for each touch. Undefined lets all pass. */
export type Authorize = (
  operation: string,
  caller: Caller,
  touches: readonly Touch[],
) => readonly (DynamoError | undefined)[] | undefined;

/** Says which touches there is capacity for, and keeps account of what was consumed. */
export interface Admission {
  /** One error or none for each touch; undefined admits all. Charges nothing. */
  admit(operation: string, touches: readonly Touch[]): readonly (DynamoError | undefined)[] | undefined;
  /** What the final outcome of a request consumed. */
  charge(charge: Charge): void;
  /** Tells whether an index has room for the entry of a write. Only looks: a unit may be decided more than once. */
  readonly indexRefusal: IndexRefusal;
}
