import type { DynamoError } from '../model/errors.ts';
import type { Caller, Charge } from './events.ts';
import type { IndexRefusal, IndexThrottle, Touch } from './road.ts';

/**
 * Restricts what may be done on an engine, once a request is planned: an error or undefined for each touch, or undefined
 * to let all touches pass. It is no authorization, which is asked before anything is looked up.
 */
export type Restrict = (
  operation: string,
  caller: Caller,
  touches: readonly Touch[],
) => readonly (DynamoError | undefined)[] | undefined;

/** Decides which touches have capacity, and keeps account of consumption. */
export interface Admission {
  /** True while nothing is admitted or charged, so that requests need not ask. */
  readonly isOff?: boolean;
  /** Judges the touches of a request. Undefined admits all. Charges nothing. */
  admit(touches: readonly Touch[], caller: Caller): Judgement | undefined;
  /**
   * What the final outcome of a request consumed. Charges that belong together are those of one transaction. `touches`
   * are those of the request, for who needs the attributes of a key.
   */
  charge(charges: readonly Charge[], touches: readonly Touch[]): void;
  /** Counts a write that an index had no capacity for, once, on its final outcome. */
  countThrottle?(throttle: IndexThrottle): void;
  /** Tells whether an index has room for the entry of a write. Only looks: a unit may be decided more than once. */
  readonly indexRefusal: IndexRefusal | undefined;
}

/** What admission says of a request that there is not enough capacity for. */
export interface Judgement {
  /** One error or none for each touch; undefined lets all pass. */
  readonly refused: readonly (DynamoError | undefined)[] | undefined;
  /** The touches that would have been refused, where verdicts are only kept. Their consumption is not charged. */
  readonly shadowed: readonly Touch[] | undefined;
}
