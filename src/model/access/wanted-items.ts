import type { MaybePromise } from '../maybe-promise.ts';
import { type AttributeValue, isKeyValue, keyText } from '../values/attribute-value.ts';

/**
 * The items that an intent reads or writes, as the condition keys of policies describe them (documented: Developer
 * Guide, "Using IAM policy conditions for fine-grained access control", 2026). Nothing is computed before it is asked
 * for.
 */
export interface WantedItems {
  /** `dynamodb:Attributes`: the top-level names that the request reads, writes or compares. */
  readonly attributes: readonly string[];
  /** `dynamodb:Select`, with its default. Undefined for writes. */
  readonly select: Selected | undefined;
  /** `dynamodb:ReturnValues`, with its default. Undefined for reads. */
  readonly returnValues: string | undefined;
  /** `dynamodb:ReturnConsumedCapacity`; undefined if the request does not say. */
  readonly returnConsumedCapacity: string | undefined;
  /**
   * `dynamodb:LeadingKeys`: the values that the request gives to the first partition key attribute of the table or
   * index; with a position, to a later attribute of an index with several. Looks the table up.
   */
  leadingKeys(position?: 0 | 1 | 2 | 3): MaybePromise<LeadingKeys>;
  /** `dynamodb:FullTableScan`: whether a SELECT reads everything. Undefined for all but PartiQL's SELECT. */
  fullTableScan(): MaybePromise<boolean | undefined>;
}

/** What a read returns of its items, as `Select` names it. */
export type Selected = 'ALL_ATTRIBUTES' | 'ALL_PROJECTED_ATTRIBUTES' | 'SPECIFIC_ATTRIBUTES' | 'COUNT';

/**
 * The leading keys of a request that has some which cannot be known: the table does not exist, or the request names no
 * key that the table could have. A policy about keys must refuse them. Otherwise the answer would show which tables
 * exist.
 */
export const unknownKeys: unique symbol = Symbol('unknown keys');

/** Undefined means that the request has no leading keys, as a Scan. */
export type LeadingKeys = readonly string[] | undefined | typeof unknownKeys;

/**
 * The texts of leading keys, without duplicates: strings as they are, numbers in canonical form, binary values as
 * base64. How AWS writes numbers and binary values is not documented (guess).
 */
export function leadingKeysOf(values: readonly (AttributeValue | undefined)[]): LeadingKeys {
  const texts = new Set<string>();
  for (const value of values) {
    if (value === undefined || !isKeyValue(value)) return unknownKeys;
    texts.add(keyText(value));
  }
  return [...texts];
}

/** The table of an intent, for conditions on its tags and for authorizers that know tables by their ids. */
export interface WantedTable {
  /** The TableId, which another table of the same name does not have. */
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
}
