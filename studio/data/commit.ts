import { itemSize } from '../../src/model/values/item-size.ts';
import { itemWriteUnits, transactWriteUnits } from '../../src/physics/units.ts';
import { call, errorText, ServiceError } from './api.ts';
import {
  type AttributeValue,
  type Item,
  itemOf,
  sameItem,
  shownValue,
  type WireItem,
  wireOf,
  wireValueOf,
} from './items.ts';
import { attributeChanges, type StagedChange } from './staged.ts';

/**
 * Commits staged changes so that no update is lost. A changed item is updated attribute by attribute, on condition that
 * those attributes are still what was seen, so that what others did to the rest of the item stays. A new item is put on
 * condition that there is none; a deleted one is deleted on condition that it still is what was seen.
 *
 * An expression has room for some hundred attributes only. A change of more is written in several updates, each under its
 * own condition. A deletion of more reads the item just before it and compares all of it.
 */

export interface CommitResult {
  readonly committed: readonly StagedChange[];
  /** Changes whose items are others by now, with what was met there; what was written of them already is left out. */
  readonly conflicts: readonly StagedChange[];
  readonly failures: readonly { readonly change: StagedChange; readonly text: string }[];
  readonly units: number;
}

/** The most actions of one transaction. */
export const transactionMax = 100;
/** Expressions have at most 4 KB and 300 operators; so many attributes always fit into a condition or an update. */
const conditionsMax = 90;

interface Write {
  readonly kind: 'Put' | 'Update' | 'Delete';
  readonly input: Readonly<Record<string, unknown>>;
}

/** The write of one change that `stepsOf` answered, as an action of a transaction has it. */
function writeOf(change: StagedChange): Write {
  const { table, key, keyNames, before, after } = change;
  const names = new Placeholders('#n');
  const values = new Placeholders<AttributeValue>(':v');
  const [hash] = keyNames as [string];
  const unchanged = (attributes: readonly [string, AttributeValue | undefined][]) =>
    attributes
      .slice(0, conditionsMax)
      .map(([name, value]) =>
        value === undefined
          ? `attribute_not_exists(${names.of(name)})`
          : `${names.of(name)} = ${values.of(value)}`,
      );
  const input = (members: object, conditions: readonly string[]) => ({
    TableName: table,
    ...members,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: names.members(),
    ...(values.size > 0 && {
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(values.members()).map(([mark, value]) => [mark, wireValueOf(value)]),
      ),
    }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (after === undefined) {
    const seen = [...(before ?? [])].filter(([name]) => !keyNames.includes(name));
    const conditions = [`attribute_exists(${names.of(hash)})`, ...unchanged(seen)];
    return { kind: 'Delete', input: input({ Key: wireOf(key) }, conditions) };
  }
  if (before === undefined) {
    const conditions = [`attribute_not_exists(${names.of(hash)})`];
    return { kind: 'Put', input: input({ Item: wireOf(after) }, conditions) };
  }
  const changed = attributeChanges(before, after);
  const conditions = [
    `attribute_exists(${names.of(hash)})`,
    ...unchanged(changed.map((one): [string, AttributeValue | undefined] => [one.name, one.before])),
  ];
  const sets = changed.filter((one) => one.after !== undefined);
  const removals = changed.filter((one) => one.after === undefined);
  const clauses = [
    ...(sets.length === 0
      ? []
      : [`SET ${sets.map((one) => `${names.of(one.name)} = ${values.of(one.after!)}`).join(', ')}`]),
    ...(removals.length === 0 ? [] : [`REMOVE ${removals.map((one) => names.of(one.name)).join(', ')}`]),
  ];
  return {
    kind: 'Update',
    input: input({ Key: wireOf(key), UpdateExpression: clauses.join(' ') }, conditions),
  };
}

/** The changes that a change is written in, one after the other: more than one if it touches very many attributes. */
function stepsOf(change: StagedChange): StagedChange[] {
  const { before, after } = change;
  if (before === undefined || after === undefined) return [change];
  const changed = attributeChanges(before, after);
  const steps: StagedChange[] = [];
  let last = before;
  for (let at = 0; at < changed.length; at += conditionsMax) {
    const next = new Map(last);
    for (const { name, after: value } of changed.slice(at, at + conditionsMax)) {
      if (value === undefined) next.delete(name);
      else next.set(name, value);
    }
    steps.push({ ...change, before: last, after: next });
    last = next;
  }
  return steps;
}

/** Reads an item that is to be deleted, if a condition cannot compare all of it. Answers the conflict if it is another. */
async function wideConflict(change: StagedChange): Promise<StagedChange | undefined> {
  const { table, key, before, after } = change;
  if (after !== undefined || before === undefined || before.size - key.size <= conditionsMax)
    return undefined;
  const { Item: item } = await call<{ Item?: WireItem }>('GetItem', {
    TableName: table,
    Key: wireOf(key),
    ConsistentRead: true,
  });
  const current = met(item);
  return sameItem(current, before) ? undefined : { ...change, met: { item: current } };
}

/** Short marks for names or values, each given once. */
class Placeholders<Value = string> {
  readonly #prefix: string;
  readonly #marks = new Map<Value, string>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  of(value: Value): string {
    let mark = this.#marks.get(value);
    if (mark === undefined) {
      mark = `${this.#prefix}${this.#marks.size}`;
      this.#marks.set(value, mark);
    }
    return mark;
  }

  get size(): number {
    return this.#marks.size;
  }

  members(): Record<string, Value> {
    return Object.fromEntries([...this.#marks].map(([value, mark]) => [mark, value]));
  }
}

/** All or nothing. */
export async function commitTogether(changes: readonly StagedChange[]): Promise<CommitResult> {
  const steps = changes.map(stepsOf);
  const wide = changes.filter((_, i) => steps[i]!.length > 1);
  if (wide.length > 0)
    return refused({
      failures: wide.map((change) => ({
        change,
        text: `A transaction compares at most ${conditionsMax} attributes of an item: commit ${shownKey(change)} one by one.`,
      })),
    });
  const different = (await Promise.all(changes.map(wideConflict))).filter((one) => one !== undefined);
  if (different.length > 0) return refused({ conflicts: different });
  const writes = changes.map(writeOf);
  try {
    const answer = await call<{ ConsumedCapacity?: Consumed[] }>('TransactWriteItems', {
      TransactItems: writes.map(({ kind, input }) => ({ [kind]: input })),
      ClientRequestToken: requestToken(),
      ReturnConsumedCapacity: 'TOTAL',
    });
    return { committed: changes, conflicts: [], failures: [], units: unitsOf(answer.ConsumedCapacity) };
  } catch (error) {
    const reasons =
      error instanceof ServiceError ? (error.body.CancellationReasons as Reason[] | undefined) : undefined;
    if (reasons === undefined) throw error;
    const conflicts: StagedChange[] = [];
    const failures: { change: StagedChange; text: string }[] = [];
    for (const [i, reason] of reasons.entries()) {
      const change = changes[i]!;
      if (reason.Code === 'ConditionalCheckFailed')
        conflicts.push({ ...change, met: { item: met(reason.Item) } });
      else if (reason.Code !== 'None')
        failures.push({ change, text: `${reason.Code}: ${reason.Message ?? ''}` });
    }
    // The answer to an earlier attempt was lost, and everything is as it should be.
    if (conflicts.length === changes.length && conflicts.every(isDone))
      return { committed: changes, conflicts: [], failures: [], units: 0 };
    return refused({ conflicts, failures });
  }
}

function refused(result: Partial<CommitResult>): CommitResult {
  return { committed: [], conflicts: [], failures: [], units: 0, ...result };
}

/** Whether a refused change met exactly what it would have made. */
function isDone({ after, met: found }: StagedChange): boolean {
  return found !== undefined && sameItem(found.item, after);
}

function shownKey({ key }: StagedChange): string {
  return [...key.values()].map((value) => shownValue(value, 60)).join(' · ');
}

/** Each by itself, one after the other: what can be done is done. */
export async function commitApart(changes: readonly StagedChange[]): Promise<CommitResult> {
  const committed: StagedChange[] = [];
  const conflicts: StagedChange[] = [];
  const failures: { change: StagedChange; text: string }[] = [];
  let units = 0;
  for (const change of changes) {
    let done = change.before;
    const noteDone = () => {
      if (!sameItem(done, change.before)) committed.push({ ...change, after: done });
    };
    try {
      const conflict = await wideConflict(change);
      if (conflict !== undefined) {
        conflicts.push(conflict);
        continue;
      }
      for (const step of stepsOf(change)) {
        const { kind, input } = writeOf(step);
        const answer = await call<{ ConsumedCapacity?: Consumed }>(`${kind}Item`, {
          ...input,
          ReturnConsumedCapacity: 'TOTAL',
        });
        units += unitsOf(answer.ConsumedCapacity && [answer.ConsumedCapacity]);
        done = step.after;
      }
      committed.push(change);
    } catch (error) {
      const rest = { ...change, before: done };
      if (error instanceof ServiceError && error.name === 'ConditionalCheckFailedException') {
        const conflict = { ...rest, met: { item: met(error.body.Item as WireItem | undefined) } };
        // The answer to an earlier attempt was lost, and the item is as it should be.
        if (isDone(conflict)) committed.push(change);
        else {
          noteDone();
          conflicts.push(conflict);
        }
        continue;
      }
      noteDone();
      failures.push({ change: rest, text: errorText(error) });
      // Without a server the others need not be tried; they stay staged.
      if (!(error instanceof ServiceError)) break;
    }
  }
  return { committed, conflicts, failures, units };
}

interface Consumed {
  readonly CapacityUnits?: number;
}

interface Reason {
  readonly Code: string;
  readonly Message?: string;
  readonly Item?: WireItem;
}

function met(wire: WireItem | undefined): Item | undefined {
  return wire === undefined || Object.keys(wire).length === 0 ? undefined : itemOf(wire);
}

function unitsOf(consumed: readonly Consumed[] | undefined): number {
  return (consumed ?? []).reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}

/** What the writes to the table itself will cost; indexes come on top. */
export function commitUnits(changes: readonly StagedChange[], together: boolean): number {
  const unitsFor = together ? transactWriteUnits : itemWriteUnits;
  const sizeOf = (item: Item | undefined) => (item === undefined ? undefined : itemSize(item));
  return changes
    .flatMap(stepsOf)
    .reduce((sum, { before, after }) => sum + unitsFor(sizeOf(before), sizeOf(after)), 0);
}

/** The changes that take these back. */
export function inverse(changes: readonly StagedChange[]): StagedChange[] {
  return changes.map((change) => ({ ...change, before: change.after, after: change.before })).reverse();
}

/** A retry of a transaction whose answer was lost must not be a second transaction. */
function requestToken(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
