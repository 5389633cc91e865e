import { writeCapacity } from './naive-capacity.ts';
import { checkKey, checkPutItem, isEmpty } from './naive-checks.ts';
import { holds } from './naive-conditions.ts';
import { project } from './naive-paths.ts';
import type { NaiveTable } from './naive-table.ts';
import { type Answer, type Capacity, invalid, NotKnown, type Outcome, Refused } from './outcome.ts';
import type {
  CapacityWish,
  CheckAction,
  TransactAction,
  TransactGetStep,
  TransactWriteStep,
} from './steps.ts';
import { indexesOf, keysOf } from './table-definition.ts';
import { type Attributes, attributes, canonicalItem, sizeOfItem } from './values.ts';

const ofEmptyKey = /cannot contain an empty/;
const ofUpdatedIndexKey = /attempted to update a secondary index key/;
const twice = 'Transaction request cannot include multiple operations on one item';

/** A transaction is many operations of one item each, of which all are done or none. */
export function transactWrite(table: NaiveTable, { actions, capacity }: TransactWriteStep): Answer {
  refuseTwice(
    table,
    actions.map((action) => (action.kind === 'put' ? action.item : action.key)),
    () => {
      for (const action of actions) {
        checkAction(table, action);
        if (setsEmptyIndexKey(table, action)) throw invalid('it sets the key of an index to nothing');
      }
    },
  );
  const unfit = actions.map((action) => refusalOf(() => checkAction(table, action)) !== undefined);
  const outcomes = actions.map((action) => attempt(table, action));
  const isInvalid = (outcome: Outcome) =>
    'refusal' in outcome && outcome.refusal.error === 'ValidationException';
  if (unfit.includes(true) && outcomes.some((outcome, i) => !unfit[i] && isInvalid(outcome)))
    throw new NotKnown('whether updates that fail are told beside keys that do not fit');
  const tellsMore = (outcome: Outcome) =>
    'refusal' in outcome && !outcome.refusal.messages.every((message) => ofEmptyKey.test(message));
  if (actions.some((action) => setsEmptyIndexKey(table, action)) && outcomes.some(tellsMore))
    throw new NotKnown('whether an empty key of an index is told before other faults');
  cancelIfAny(
    outcomes.map((outcome) => ('refusal' in outcome ? outcome.refusal : undefined)),
    (message, i) => !ofUpdatedIndexKey.test(message) || setsEmptyIndexKey(table, actions[i]!),
  );
  const capacities = outcomes.flatMap((outcome) =>
    'answer' in outcome ? (outcome.answer.ConsumedCapacity as Capacity) : [],
  );
  return shownCapacity(capacity, 'WriteCapacityUnits', table.name, {
    table: sum(capacities.map(({ Table }) => Table!.CapacityUnits)) * 2,
    locals: summedArms(capacities.map(({ LocalSecondaryIndexes }) => LocalSecondaryIndexes)),
    globals: summedArms(capacities.map(({ GlobalSecondaryIndexes }) => GlobalSecondaryIndexes)),
  });
}

export function transactGet(table: NaiveTable, { gets, capacity }: TransactGetStep): Answer {
  const keys = gets.map(({ key }) => key);
  const check = (key: Attributes) => checkKey(table.definition, key);
  refuseTwice(table, keys, () => {
    for (const key of keys) check(key);
  });
  cancelIfAny(keys.map((key) => refusalOf(() => check(key))));
  const found = keys.map((key) => table.find(key));
  const units = found.map((item) => 2 * Math.max(1, Math.ceil((item ? sizeOfItem(item) : 0) / 4096)));
  return {
    Responses: found.map((item, i) => {
      const { projection } = gets[i]!;
      const shown = item && projection ? project(item, projection) : item;
      return shown !== undefined && Object.keys(shown).length > 0 ? shown : undefined;
    }),
    ...shownCapacity(capacity, 'ReadCapacityUnits', table.name, {
      table: sum(units),
      locals: {},
      globals: {},
    }),
  };
}

/** One action by itself; what it costs is wanted in any case. */
function attempt(table: NaiveTable, action: TransactAction): Outcome {
  if (action.kind === 'check') return checked(table, action);
  return table.run({ ...action, capacity: 'INDEXES' });
}

function checked(table: NaiveTable, { key, condition, onFailure }: CheckAction): Outcome {
  const wrong = refusalOf(() => checkKey(table.definition, key));
  if (wrong !== undefined) return { refusal: wrong };
  const item = table.find(key);
  if (!holds(condition, item ?? attributes()))
    return {
      refusal: {
        error: 'ConditionalCheckFailedException',
        messages: ['The conditional request failed'],
        ...(onFailure === 'ALL_OLD' && item && { item }),
      },
    };
  const ConsumedCapacity = writeCapacity('INDEXES', table.name, table.definition, item, item);
  return { answer: { ConsumedCapacity: ConsumedCapacity! } };
}

/** Whatever is wrong with an action for its table, before any item is looked at. */
function checkAction({ definition }: NaiveTable, action: TransactAction): void {
  if (action.kind === 'put') checkPutItem(definition, action.item);
  else checkKey(definition, action.key);
  const keyNames = keysOf(definition).map(({ name }) => name);
  if (action.kind === 'update' && action.update!.some(({ path }) => keyNames.includes(path[0])))
    throw invalid('it updates its key');
}

/** Told before the transaction begins, since the request alone shows it. */
function setsEmptyIndexKey({ definition }: NaiveTable, action: TransactAction): boolean {
  if (action.kind !== 'update') return false;
  const keys = indexesOf(definition).flatMap(({ hash, range }) => [...hash, ...range]);
  return action.update!.some(
    (part) =>
      part.kind === 'set' &&
      part.path.length === 1 &&
      part.value.kind === 'value' &&
      isEmpty(part.value.value) &&
      keys.some(({ name }) => name === part.path[0]),
  );
}

function refuseTwice(table: NaiveTable, items: readonly Attributes[], check: () => void): void {
  const paths = keysOf(table.definition).map(({ name }) => [name] as const);
  const keys = items.map((item) => canonicalItem(project(item, paths)));
  if (new Set(keys).size === keys.length) return;
  if (refusalOf(check) !== undefined)
    throw new NotKnown('whether an item named twice or a wrong key is told first');
  throw invalid(twice);
}

type Refusal = Refused['refusal'];

function refusalOf(check: () => void): Refusal | undefined {
  try {
    check();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Refused) return thrown.refusal;
    throw thrown;
  }
}

/**
 * One reason for each action; where some are not valid, the first of them is told and nothing else. An empty key is
 * told before the transaction begins, if `showsBefore` says that the request alone shows it.
 */
function cancelIfAny(
  refusals: readonly (Refusal | undefined)[],
  showsBefore: (message: string, action: number) => boolean = () => true,
): void {
  if (refusals.every((refusal) => refusal === undefined)) return;
  const messages = refusals.flatMap((refusal) => refusal?.messages ?? []);
  const early = refusals.flatMap((refusal, i) =>
    (refusal?.messages ?? []).filter(
      (message) =>
        message.startsWith('1 validation') || (ofEmptyKey.test(message) && showsBefore(message, i)),
    ),
  );
  if (early.length > 0) {
    if (refusals.length > 1 || new Set(messages).size > 1)
      throw new NotKnown('which faults of a transaction are told before others');
    throw invalid(...early);
  }
  const firstInvalid = refusals.findIndex((refusal) => refusal?.error === 'ValidationException');
  const reasons = refusals.map((refusal, i): readonly Reason[] => {
    if (refusal === undefined || (firstInvalid !== -1 && i !== firstInvalid)) return [{ code: 'None' }];
    if (refusal.error === 'ValidationException')
      return refusal.messages.map((message) => ({ code: 'ValidationError', message }));
    const { item } = refusal;
    if (item !== undefined && JSON.stringify(item).includes('"__proto__":'))
      throw new NotKnown('what the SDK makes of a reason whose item has __proto__');
    return [
      { code: 'ConditionalCheckFailed', message: 'The conditional request failed', ...(item && { item }) },
    ];
  });
  throw new Refused({
    error: 'TransactionCanceledException',
    messages: combinations(reasons).map(cancelledText),
  });
}

export interface Reason {
  readonly code: string;
  readonly message?: string;
  readonly item?: Attributes;
}

/** The message of a cancelled transaction with its reasons, as both sides write it for the comparison. */
export function cancelledText(reasons: readonly Reason[]): string {
  const codes = reasons.map(({ code }) => code).join(', ');
  const lines = reasons.map(
    ({ code, message, item }) =>
      `  ${code} ${message ?? ''} ${item === undefined ? '' : canonicalItem(item)}`,
  );
  return [
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    ...lines,
  ].join('\n');
}

function combinations<T>(choices: readonly (readonly T[])[]): T[][] {
  return choices.reduce<T[][]>(
    (all, next) => all.flatMap((before) => next.map((one) => [...before, one])),
    [[]],
  );
}

type Arms = Readonly<Record<string, number>>;

function summedArms(
  all: readonly (Readonly<Record<string, { readonly CapacityUnits: number }>> | undefined)[],
): Arms {
  const units: Record<string, number> = {};
  for (const arms of all)
    for (const [name, { CapacityUnits }] of Object.entries(arms ?? {}))
      units[name] = (units[name] ?? 0) + CapacityUnits;
  return units;
}

/** Transactions tell their units twice. */
function shownCapacity(
  wish: CapacityWish | undefined,
  spentOn: 'ReadCapacityUnits' | 'WriteCapacityUnits',
  TableName: string,
  { table, locals, globals }: { readonly table: number; readonly locals: Arms; readonly globals: Arms },
): { ConsumedCapacity?: readonly Capacity[] } {
  if (wish === undefined || wish === 'NONE') return {};
  const told = (units: number) => ({ CapacityUnits: units, [spentOn]: units });
  const arms = (units: Arms) =>
    Object.fromEntries(Object.entries(units).map(([name, count]) => [name, told(count)]));
  const total = told(table + sum(Object.values(locals)) + sum(Object.values(globals)));
  if (wish === 'TOTAL') return { ConsumedCapacity: [{ TableName, ...total }] };
  return {
    ConsumedCapacity: [
      {
        TableName,
        ...total,
        Table: told(table),
        ...(Object.keys(locals).length > 0 && { LocalSecondaryIndexes: arms(locals) }),
        ...(Object.keys(globals).length > 0 && { GlobalSecondaryIndexes: arms(globals) }),
      },
    ],
  };
}

function sum(units: readonly number[]): number {
  return units.reduce((all, count) => all + count, 0);
}
