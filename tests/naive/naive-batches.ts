import { checkKey, checkPutItem, checkTexts, contentFaults } from './naive-checks.ts';
import { project } from './naive-paths.ts';
import type { NaiveTable } from './naive-table.ts';
import { type Answer, type Capacity, invalid, NotKnown, Refused } from './outcome.ts';
import type { BatchGetStep, BatchWrite, BatchWriteStep, DeleteStep, GetStep, PutStep } from './steps.ts';
import { keysOf, type TableDefinition } from './table-definition.ts';
import { type Attributes, canonicalItem, sizeOfItem, typeOf } from './values.ts';

const duplicates = 'Provided list of item keys contains duplicates';
const itemBytesMax = 409_600;
const partitionBytesMax = 1024 * 1024;

/** A batch is many operations of one item each, once all of them have been checked. */
export function batchGet(
  table: NaiveTable,
  { keys, projection, consistent, capacity }: BatchGetStep,
): Answer {
  const contents = keys.flatMap((key) => Object.values(key).flatMap(contentFaults));
  // Numbers that are equal but written differently are different keys here.
  const written = keys.map((key) => JSON.stringify(Object.entries(key).sort(([a], [b]) => (a < b ? -1 : 1))));
  refuseAny([...contents, ...(hasRepeats(written) ? [duplicates] : [])]);
  refuseAny(keys.flatMap((key) => messagesOf(() => checkKey(table.definition, key))));
  const found = keys.map((key) => table.find(key)).filter((item) => item !== undefined);
  if (found.reduce((bytes, item) => bytes + sizeOfItem(item), 0) > partitionBytesMax)
    throw new NotKnown('how many partitions a table has');
  const answers = keys.map((key) => {
    const step: GetStep = { kind: 'get', key, projection, consistent, capacity, spelling: 0 };
    return answerOf(table, step);
  });
  return {
    Items: answers.map(({ Item }) => Item).filter((item) => item !== undefined),
    ...summedCapacity(answers),
  };
}

export function batchWrite(table: NaiveTable, { writes, capacity }: BatchWriteStep): Answer {
  refuseAny(writes.flatMap(earlyFaults));
  refuseAny([
    ...writes.flatMap((write) => messagesOf(() => checkAgainst(table.definition, write))),
    ...(hasRepeats(writes.flatMap((write) => keyTexts(table.definition, write))) ? [duplicates] : []),
  ]);
  const answers = writes.map((write) => {
    const step: PutStep | DeleteStep =
      'put' in write
        ? { kind: 'put', item: write.put, capacity, spelling: 0 }
        : { kind: 'delete', key: write.delete, capacity, spelling: 0 };
    return answerOf(table, step);
  });
  return summedCapacity(answers);
}

/** The older layer, which answers for batches of writes, shows nothing of a number that is empty. */
function earlyFaults(write: BatchWrite): string[] {
  const faults = Object.values(sentIn(write)).flatMap(contentFaults);
  if (faults.length === 0 && 'put' in write && sizeOfItem(write.put) > itemBytesMax)
    return [checkTexts.putTooLarge];
  return faults.map((fault) => (fault.endsWith('value: ') ? fault.slice(0, -': '.length) : fault));
}

/** What PutItem says of the table's key alone is said in the words for keys. */
function checkAgainst(table: TableDefinition, write: BatchWrite): void {
  if ('delete' in write) {
    checkKey(table, write.delete);
    return;
  }
  const messages = messagesOf(() => checkPutItem(table, write.put));
  refuseAny(
    messages.map((message) =>
      /: (Missing the key|Type mismatch for key) /.test(message) ? checkTexts.keyMismatch : message,
    ),
  );
}

/** The key of a write, if it has one. */
function keyTexts(table: TableDefinition, write: BatchWrite): string[] {
  const sent = sentIn(write);
  const keys = keysOf(table);
  if (!keys.every(({ name, type }) => sent[name] !== undefined && typeOf(sent[name]) === type)) return [];
  return [
    canonicalItem(
      project(
        sent,
        keys.map(({ name }) => [name] as const),
      ),
    ),
  ];
}

function sentIn(write: BatchWrite): Attributes {
  return 'put' in write ? write.put : write.delete;
}

function answerOf(table: NaiveTable, step: GetStep | PutStep | DeleteStep): Answer {
  const outcome = table.run(step);
  if ('answer' in outcome) return outcome.answer;
  throw new Error(`a batch was checked and then refused: ${outcome.refusal.messages.join()}`);
}

function messagesOf(check: () => void): readonly string[] {
  try {
    check();
    return [];
  } catch (thrown) {
    if (thrown instanceof Refused) return thrown.refusal.messages;
    throw thrown;
  }
}

function refuseAny(messages: readonly string[]): void {
  if (messages.length > 0) throw invalid(...messages);
}

function hasRepeats(texts: readonly string[]): boolean {
  return new Set(texts).size < texts.length;
}

/** One element for the one table, every arm added up. */
function summedCapacity(answers: readonly Answer[]): { ConsumedCapacity?: readonly Capacity[] } {
  const capacities = answers.flatMap(({ ConsumedCapacity }) => ConsumedCapacity ?? []);
  const [first, ...others] = capacities;
  return first === undefined ? {} : { ConsumedCapacity: [others.reduce(added, first)] };
}

function added(a: Capacity, b: Capacity): Capacity {
  const local = addedArms(a.LocalSecondaryIndexes, b.LocalSecondaryIndexes);
  const global = addedArms(a.GlobalSecondaryIndexes, b.GlobalSecondaryIndexes);
  return {
    TableName: a.TableName,
    CapacityUnits: a.CapacityUnits + b.CapacityUnits,
    ...(a.Table && b.Table && { Table: { CapacityUnits: a.Table.CapacityUnits + b.Table.CapacityUnits } }),
    ...(local && { LocalSecondaryIndexes: local }),
    ...(global && { GlobalSecondaryIndexes: global }),
  };
}

type Arms = Readonly<Record<string, { readonly CapacityUnits: number }>>;

function addedArms(a: Arms | undefined, b: Arms | undefined): Arms | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(
    names.map((name) => [
      name,
      { CapacityUnits: (a[name]?.CapacityUnits ?? 0) + (b[name]?.CapacityUnits ?? 0) },
    ]),
  );
}
