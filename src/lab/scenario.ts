import type { RetryMode } from '../kit/sdk-policies.ts';
import type { KeyDistribution } from '../workload/key-distribution.ts';
import type { RateCurve } from '../workload/rate-curve.ts';

const scenarioFormat = 'stator-lab/1';

/** A workload against tables, as plain data. `scenario-schema.ts` says which values are allowed. */
export interface Scenario {
  readonly format: typeof scenarioFormat;
  readonly name: string;
  /** One sentence for lists. */
  readonly description?: string | undefined;
  readonly startAt?: string | undefined;
  /** How long the traffic lasts, in simulated seconds. */
  readonly seconds: number;
  readonly seed?: number | undefined;
  /** SDK clients that calls are spread over; each has a retry budget of its own. */
  readonly clients?: number | undefined;
  readonly retry?: RetryMode | undefined;
  /** How often a client tries in all; 3 in the SDKs. */
  readonly attempts?: number | undefined;
  readonly tables: readonly TableSpec[];
  readonly keys?: Readonly<Record<string, KeySpec>> | undefined;
  readonly entities?: Readonly<Record<string, EntitySpec>> | undefined;
  readonly patterns: Readonly<Record<string, PatternSpec | null>>;
  /** The same workload with changes, in the order in which they are told; each is laid over the scenario. */
  readonly variants?: Readonly<Record<string, Variant>> | undefined;
}

export interface Variant extends Partial<Omit<Scenario, 'format' | 'name' | 'variants'>> {
  /** What was changed, as a sentence. */
  readonly change?: string | undefined;
}

export interface Units {
  readonly read?: number | undefined;
  readonly write?: number | undefined;
}

export interface ArmSpec {
  readonly partitionKey: string;
  readonly sortKey?: string | undefined;
  /** Units a second that an on-demand table or index is ready for. */
  readonly warm?: Units | undefined;
  /** Units a second of a provisioned table or index. */
  readonly provisioned?: Units | undefined;
  readonly autoScaling?: AutoScalingSpec | undefined;
}

export interface TableSpec extends ArmSpec {
  readonly name: string;
  readonly mode?: 'on-demand' | 'provisioned' | undefined;
  readonly indexes?: readonly IndexSpec[] | undefined;
}

export interface IndexSpec extends ArmSpec {
  readonly name: string;
  readonly project?: 'ALL' | 'KEYS_ONLY' | readonly string[] | undefined;
}

export interface AutoScalingSpec {
  readonly read?: TrackingSpec | undefined;
  readonly write?: TrackingSpec | undefined;
}

export interface TrackingSpec {
  readonly min: number;
  readonly max: number;
  /** Percent of the provisioned units that should be in use. */
  readonly target: number;
}

/** Values that keys are made of: `count` of them, in a form such as `S{n}`. */
export interface KeySpec {
  readonly count: number;
  readonly as?: string | undefined;
}

export interface EntitySpec {
  readonly table: string;
  readonly key: Readonly<Record<string, string>>;
  readonly attributes?: Readonly<Record<string, ValueSpec>> | undefined;
  /** Items that are there before the traffic begins: one for each value of a key, or several. */
  readonly load?: { readonly each: string; readonly times?: number | undefined } | undefined;
}

/** Text with `{names}`, a number, a flag, or something that is drawn. */
export type ValueSpec =
  | string
  | number
  | boolean
  | { readonly bytes: SizeSpec }
  | { readonly number: readonly [number, number] }
  | { readonly choice: Readonly<Record<string, number>> }
  | { readonly list: { readonly count: number; readonly bytes: number } }
  /** A value that only a share of the items have, which keeps the others out of a sparse index. */
  | { readonly text: string; readonly share: number };

export type SizeSpec =
  | number
  | { readonly min: number; readonly max: number }
  | readonly { readonly bytes: number; readonly share: number }[];

/** How calls fall on the values of a key. `sequence` walks through them in order. */
export type DrawSpec = KeyDistribution | { readonly kind: 'sequence' };

export interface ActionSpec {
  readonly put?: string | undefined;
  readonly get?: string | undefined;
  readonly delete?: string | undefined;
  readonly update?: string | undefined;
  readonly query?: string | undefined;
  readonly scan?: string | undefined;
  readonly transact?: readonly ActionSpec[] | undefined;
  /** For put, update and delete: a condition expression over attribute names. */
  readonly condition?: string | undefined;
  readonly set?: Readonly<Record<string, ValueSpec>> | undefined;
  readonly add?: Readonly<Record<string, number>> | undefined;
  readonly append?: Readonly<Record<string, ValueSpec>> | undefined;
  readonly remove?: readonly string[] | undefined;
  readonly consistent?: boolean | undefined;
  readonly index?: string | undefined;
  readonly limit?: number | undefined;
  readonly newestFirst?: boolean | undefined;
  /** The query is sent to that many shards at once and merged; `{shard}` is then each of them. */
  readonly shards?: number | undefined;
}

export interface PatternSpec extends ActionSpec {
  readonly does?: string | undefined;
  /** Calls a second, before the curve's factor. */
  readonly rate?: number | undefined;
  readonly curve?: RateCurve | undefined;
  readonly keys?: Readonly<Record<string, DrawSpec>> | undefined;
  /** The most calls; after them the pattern is done. */
  readonly times?: number | undefined;
  /** Instead of a rate: one call for each successful call of another pattern, as a consumer of its stream makes. */
  readonly after?: FollowSpec | undefined;
}

export interface FollowSpec {
  readonly pattern: string;
  /** From the write until the consumer sees its record. */
  readonly delayMs?: number | undefined;
  /** Calls a second that the consumer manages; what comes faster waits, which is the stream's lag. */
  readonly perSecond?: number | undefined;
}
