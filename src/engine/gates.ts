import type { DynamoError } from '../model/errors.ts';
import type { Caller, Charge } from './events.ts';
import type { IndexRefusal, Touch } from './road.ts';

/** Authorizes a request. Returns an error or undefined for each touch, or undefined to let all touches pass. */
export type Authorize = (
  operation: string,
  caller: Caller,
  touches: readonly Touch[],
) => readonly (DynamoError | undefined)[] | undefined;

/** Decides which touches have capacity, and keeps account of consumption. */
export interface Admission {
  /** Returns an error or undefined for each touch, or undefined to admit all touches. Charges nothing. */
  admit(operation: string, touches: readonly Touch[]): readonly (DynamoError | undefined)[] | undefined;
  /** Records the consumption of the final outcome of a request. */
  charge(charge: Charge): void;
  /**
   * Tells whether an index has capacity for an entry. It must not change state: a unit may be decided more than once.
   */
  readonly indexRefusal: IndexRefusal;
}
