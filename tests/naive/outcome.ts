import type { Found } from './search-found.ts';
import type { Attributes } from './values.ts';

/** What an operation answers, in the words of the wire. */
export interface Answer {
  readonly Item?: Attributes;
  readonly Attributes?: Attributes;
  /** What a Query or Scan found. */
  readonly found?: Found;
  /** The items of a batch, in no order. */
  readonly Items?: readonly Attributes[];
  /** What a transaction read, in the order asked for. */
  readonly Responses?: readonly (Attributes | undefined)[];
  readonly ConsumedCapacity?: Capacity | readonly Capacity[];
}

export interface Capacity {
  readonly TableName: string;
  readonly CapacityUnits: number;
  readonly Table?: { readonly CapacityUnits: number };
  readonly LocalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits: number }>>;
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits: number }>>;
}

/** An error with the messages of which the service would give one: where several faults meet, any may be told. */
export interface Refusal {
  readonly error: string;
  readonly messages: readonly string[];
  /** The item that comes with a failed condition. */
  readonly item?: Attributes;
}

export type Outcome = { readonly answer: Answer } | { readonly refusal: Refusal };

/** Thrown by the model to end an operation with an error. */
export class Refused {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    this.refusal = refusal;
  }
}

export function invalid(...messages: readonly string[]): Refused {
  return new Refused({ error: 'ValidationException', messages: [...new Set(messages)] });
}

/** The prefix that the service puts before many of its checks. */
export function parameter(detail: string): string {
  return `One or more parameter values were invalid: ${detail}`;
}

/**
 * Thrown by the model where nobody has recorded what the service does. Such an operation is left out on both sides:
 * whatever the engine does there is its own choice, and not ours to judge.
 */
export class NotKnown {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}
