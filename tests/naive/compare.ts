import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DeleteTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { seededRandom } from '../seeded-random.ts';
import { allowedTexts, isReadable, requestOf, runThrough } from './client-steps.ts';
import { type Capabilities, randomScript } from './generator.ts';
import { NaiveTable } from './naive-table.ts';
import { NotKnown } from './outcome.ts';
import { shrink } from './shrink.ts';
import type { Script, Step } from './steps.ts';
import { createTableInput, indexesOf, keysOf, type TableDefinition } from './table-definition.ts';
import { attributes } from './values.ts';

export interface ComparisonOptions {
  readonly client: DynamoDBClient;
  readonly capabilities: Capabilities;
  readonly seed: number;
  /** How many steps to take in all, over tables of `stepsPerTable` each. */
  readonly steps: number;
  readonly stepsPerTable?: number;
  /** How many tables are worked on at a time. */
  readonly tablesAtOnce?: number;
  /** Looks at the whole database after each table's steps, while others are worked on. */
  readonly inspect?: () => Promise<void>;
}

/** What was compared, so that a test can see that it was not all of one kind. */
export interface ComparisonReport {
  steps: number;
  tables: number;
  answers: number;
  /** Errors that both sides agreed on, by the beginning of what they say. */
  readonly refusals: Map<string, number>;
  /** Steps that were left out because nobody has recorded what the service does, by what is not known. */
  readonly notKnown: Map<string, number>;
}

/** The first step at which the two sides differ. */
export interface Mismatch {
  readonly at: number;
  readonly step: Step;
  readonly expected: readonly string[];
  readonly actual: string;
}

/** Does random things to both sides; a difference is shrunk to a short script and thrown with it. */
export async function compareRandomly(options: ComparisonOptions): Promise<ComparisonReport> {
  const { client, capabilities, seed, steps, stepsPerTable = 100, tablesAtOnce = 8, inspect } = options;
  const report: ComparisonReport = {
    steps: 0,
    tables: 0,
    answers: 0,
    refusals: new Map(),
    notKnown: new Map(),
  };
  const tables = Math.ceil(steps / stepsPerTable);
  let next = 0;
  let failed: number | undefined;
  const work = async () => {
    while (next < tables && failed === undefined) {
      const table = next++;
      const script = scriptOf(table);
      if ((await runScript(client, script, report, inspect)) !== undefined) failed ??= table;
      report.tables++;
    }
  };
  const scriptOf = (table: number) =>
    // Each script has a seed of its own, so that it is the same whatever goes on beside it.
    randomScript(seededRandom(seed + Math.imul(table, 0x9e3779b1)), capabilities, stepsPerTable);
  await Promise.all(Array.from({ length: tablesAtOnce }, work));
  if (failed !== undefined) throw await failure(client, scriptOf(failed), seed, failed);
  return report;
}

/** Runs a script on a table of its own, which is removed in the end. */
export async function runScript(
  client: DynamoDBClient,
  script: Script,
  report?: ComparisonReport,
  inspect?: () => Promise<void>,
): Promise<Mismatch | undefined> {
  const tableName = `naive-${randomUUID()}`;
  await client.send(new CreateTableCommand(createTableInput(script.table, tableName)));
  try {
    const naive = new NaiveTable(script.table, tableName);
    for (const [at, step] of script.steps.entries()) {
      const mismatch = await compareStep(client, naive, step, at, report);
      if (mismatch !== undefined) return mismatch;
    }
    const mismatch = await compareEnd(client, naive, script.steps.length);
    await inspect?.();
    return mismatch;
  } finally {
    await client.send(new DeleteTableCommand({ TableName: tableName }));
  }
}

async function compareStep(
  client: DynamoDBClient,
  naive: NaiveTable,
  step: Step,
  at: number,
  report: ComparisonReport | undefined,
): Promise<Mismatch | undefined> {
  try {
    const outcome = naive.run(step);
    // A refused step has changed nothing, so it can be taken again, without asking for what cannot be read.
    if (!isReadable(outcome))
      return compareStep(client, naive, { ...step, onFailure: 'NONE' } as Step, at, report);
    const expected = allowedTexts(outcome);
    const known = 'answer' in outcome ? outcome.answer.found : undefined;
    const actual = await runThrough(client, step, naive.name, known);
    if (!expected.includes(actual)) return { at, step, expected, actual };
    if (report === undefined) return undefined;
    report.steps++;
    if ('answer' in outcome) report.answers++;
    else count(report.refusals, kindOf(outcome.refusal.messages[0]!));
  } catch (thrown) {
    if (!(thrown instanceof NotKnown)) throw thrown;
    if (report !== undefined) count(report.notKnown, thrown.why);
  }
  return undefined;
}

/** In the end, every item that the model has must be there as it is, and every index must have what it should. */
async function compareEnd(
  client: DynamoDBClient,
  naive: NaiveTable,
  at: number,
): Promise<Mismatch | undefined> {
  const gets = naive.items.map((item): Step => {
    const key = attributes(keysOf(naive.definition).map(({ name }) => [name, item[name]!]));
    return { kind: 'get', key, consistent: true, capacity: 'TOTAL', spelling: 0 };
  });
  const indexes = indexesOf(naive.definition).map(({ name }) => name);
  const scans = [undefined, ...indexes].map((index): Step => ({ kind: 'scan', index, spelling: 0 }));
  for (const step of [...gets, ...scans]) {
    const mismatch = await compareStep(client, naive, step, at, undefined);
    if (mismatch !== undefined) return mismatch;
  }
  return undefined;
}

/** A message up to where it names an attribute or shows a value. */
function kindOf(message: string): string {
  return message.split('\n')[0]!.split(/(?<=\b(?:[kK]ey|attribute|attributes:|value:|project)) /)[0]!;
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

/** The error that tells of a mismatch: the shortest script found, and how to see it again. */
export class NaiveMismatch extends Error {
  readonly script: Script;
  readonly mismatch: Mismatch;

  constructor(script: Script, mismatch: Mismatch, how: string) {
    super(`the naive model and the database differ\n${how}\n${scriptText(script, mismatch)}`);
    this.name = 'NaiveMismatch';
    this.script = script;
    this.mismatch = mismatch;
  }
}

async function failure(
  client: DynamoDBClient,
  script: Script,
  seed: number,
  table: number,
): Promise<NaiveMismatch> {
  const fails = async (smaller: Script) => (await runScript(client, smaller)) !== undefined;
  const shortest = await shrink(script, fails);
  const mismatch = await runScript(client, shortest);
  const how = `STATOR_TEST_SEED=${seed}, table ${table}, ${script.steps.length} steps shrunk to ${shortest.steps.length}`;
  if (mismatch !== undefined) return new NaiveMismatch(shortest, mismatch, how);
  // The failure does not repeat: tell of it all the same, with the script as it was generated.
  const nothing = {
    at: -1,
    step: script.steps[0]!,
    expected: [],
    actual: 'a difference that did not come again',
  };
  return new NaiveMismatch(script, nothing, how);
}

/** A script for people: one line for the table and for each step, then what was expected and what came. */
export function scriptText(script: Script, mismatch: Mismatch): string {
  const verbs = {
    put: 'PutItem',
    get: 'GetItem',
    update: 'UpdateItem',
    delete: 'DeleteItem',
    batchGet: 'BatchGetItem',
    batchWrite: 'BatchWriteItem',
    transactGet: 'TransactGetItems',
    transactWrite: 'TransactWriteItems',
    query: 'Query',
    scan: 'Scan',
    createIndex: 'UpdateTable',
    deleteIndex: 'UpdateTable',
  } as const;
  const line = (step: Step) => {
    const { TableName: _, ...request } = requestOf(step, '');
    return `${verbs[step.kind]} ${abridged(JSON.stringify(request))}`;
  };
  const steps = script.steps.map((step, i) => `${i + 1}. ${line(step)}`);
  if (mismatch.at === script.steps.length) steps.push(`at the end: ${line(mismatch.step)}`);
  return [
    tableText(script.table),
    ...steps,
    `expected: ${mismatch.expected.map(abridged).join('\n or: ')}`,
    `actual:   ${abridged(mismatch.actual)}`,
  ].join('\n');
}

function tableText(table: TableDefinition): string {
  const {
    KeySchema,
    TableName: _,
    BillingMode: __,
    AttributeDefinitions,
    ...indexes
  } = createTableInput(table, '');
  const keys = KeySchema!.map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`).join(', ');
  const types = AttributeDefinitions!.map(
    ({ AttributeName: name, AttributeType: type }) => `${name}:${type}`,
  );
  const rest = Object.keys(indexes).length === 0 ? '' : ` ${JSON.stringify(indexes)}`;
  return `table with ${keys} (${types.join(', ')})${rest}`;
}

/** Long runs of one character are shown by their length. */
function abridged(text: string): string {
  return text.replace(/(.)\1{59,}/g, (run) => `${run.slice(0, 3)}…(${run.length} × ${run[0]})`);
}
