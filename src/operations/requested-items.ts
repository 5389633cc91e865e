import type { Table } from '../engine/tables/table-record.ts';
import { attributesNamed } from '../expressions/named-attributes.ts';
import type { Condition, Projection, Update } from '../expressions/tree.ts';
import {
  type LeadingKeys,
  leadingKeysOf,
  type Selected,
  unknownKeys,
  type WantedItems,
} from '../model/access/wanted-items.ts';
import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';
import type { AttributeValue, Item } from '../model/values/attribute-value.ts';
import { findTarget, type ReadTarget } from './search/read-target.ts';

/** What an operation knows of the items in its request, before it knows their table. */
export interface ItemDescription {
  /** The top-level names, in any order and repeated at will. Called when a condition asks. */
  names(): Iterable<string>;
  /** Absent for writes. */
  readonly select?: Selected;
  /** Absent for reads. */
  readonly returnValues?: string;
  readonly returnConsumedCapacity?: string | undefined;
  /** The values that the request gives to a partition key attribute. Absent for requests without leading keys. */
  keys?(target: ReadTarget, attribute: string, position: number): RequestedKeys;
  /** Present for PartiQL's SELECT. */
  isFullScan?(target: ReadTarget): boolean;
}

/** An undefined value stands for a key that lacks the attribute. */
export type RequestedKeys = readonly (AttributeValue | undefined)[] | undefined | typeof unknownKeys;

/** The items of one intent. The table is looked up only for conditions on keys. */
export class RequestedItems implements WantedItems {
  readonly #described: ItemDescription;
  readonly #index: string | undefined;
  readonly #lookUp: () => MaybePromise<Table | undefined>;

  constructor(
    described: ItemDescription,
    index: string | undefined,
    lookUp: () => MaybePromise<Table | undefined>,
  ) {
    this.#described = described;
    this.#index = index;
    this.#lookUp = lookUp;
  }

  get attributes(): readonly string[] {
    return [...new Set(this.#described.names())];
  }

  get select(): Selected | undefined {
    return this.#described.select;
  }

  get returnValues(): string | undefined {
    return this.#described.returnValues;
  }

  get returnConsumedCapacity(): string | undefined {
    return this.#described.returnConsumedCapacity;
  }

  leadingKeys(position: 0 | 1 | 2 | 3 = 0): MaybePromise<LeadingKeys> {
    const { keys } = this.#described;
    if (keys === undefined) return undefined;
    return whenDone(this.#target(), (target) => {
      if (target === undefined) return unknownKeys;
      const attribute = target.key.hash[position]?.name;
      if (attribute === undefined) return undefined;
      const values = keys(target, attribute, position);
      return values === undefined || values === unknownKeys ? values : leadingKeysOf(values);
    });
  }

  /** A statement on a table that does not exist counts as a scan, so that a policy against scans refuses it. */
  fullTableScan(): MaybePromise<boolean | undefined> {
    const { isFullScan } = this.#described;
    if (isFullScan === undefined) return undefined;
    return whenDone(this.#target(), (target) => target === undefined || isFullScan(target));
  }

  #target(): MaybePromise<ReadTarget | undefined> {
    return whenDone(this.#lookUp(), (table) => table && findTarget(table, this.#index));
  }
}

/** The top-level names in expressions: conditions, the targets and operands of updates, projections. */
export function* namesOf({ condition, update, projection }: Expressions): Iterable<string> {
  yield* attributesNamed(condition, update);
  for (const [name] of projection?.paths ?? []) yield name;
}

interface Expressions {
  readonly condition?: Condition | undefined;
  readonly update?: Update | undefined;
  readonly projection?: Projection | undefined;
}

function* namesIn(items: readonly Item[]): Iterable<string> {
  for (const item of items) yield* item.keys();
}

function keysOfItems(items: readonly Item[]): NonNullable<ItemDescription['keys']> {
  return (_, attribute) => items.map((item) => item.get(attribute));
}

/**
 * Reads of items by their keys. A read without a projection names its keys only, and Select then says that it returns
 * everything.
 */
export function readItems(
  keys: readonly Item[],
  projection: Projection | undefined,
  returnConsumedCapacity: string | undefined,
): ItemDescription {
  return {
    *names() {
      yield* namesIn(keys);
      yield* namesOf({ projection });
    },
    select: projection === undefined ? 'ALL_ATTRIBUTES' : 'SPECIFIC_ATTRIBUTES',
    returnConsumedCapacity,
    keys: keysOfItems(keys),
  };
}

/** A write of one item. `item` is the whole item of a put, else the key. */
export function writtenItem(
  { item, condition, update }: { readonly item: Item } & Expressions,
  returned: ReturnedValues,
): ItemDescription {
  return {
    *names() {
      yield* item.keys();
      yield* namesOf({ condition, update });
    },
    returnValues: returnValuesOf(returned),
    returnConsumedCapacity: returned.ReturnConsumedCapacity,
    keys: keysOfItems([item]),
  };
}

/** The puts and deletes of a batch on one table. */
export function writtenItems(
  items: readonly Item[],
  returnConsumedCapacity: string | undefined,
): ItemDescription {
  return {
    names: () => namesIn(items),
    returnValues: 'NONE',
    returnConsumedCapacity,
    keys: keysOfItems(items),
  };
}

interface ReturnedValues {
  readonly ReturnValues?: string | undefined;
  readonly ReturnValuesOnConditionCheckFailure?: string | undefined;
  readonly ReturnConsumedCapacity?: string | undefined;
}

/**
 * The value of `dynamodb:ReturnValues`. A transaction's action has no ReturnValues, so it is what a failed condition shows
 * (DG, example 4 of transaction-apis-iam). AWS documents nothing for single writes: Stator takes what a failed condition
 * shows unless the write itself returns whole items, so that a policy against old values has no hole.
 */
export function returnValuesOf({
  ReturnValues = 'NONE',
  ReturnValuesOnConditionCheckFailure = 'NONE',
}: ReturnedValues): string {
  const isMore = ReturnValuesOnConditionCheckFailure !== 'NONE' && !ReturnValues.startsWith('ALL_');
  return isMore ? ReturnValuesOnConditionCheckFailure : ReturnValues;
}
