import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import { topicNames } from '../../src/cli/handbook/handbook-pages.ts';
import { parseArguments } from '../../src/cli/parse-arguments.ts';
import { settle } from '../../src/cli/settings.ts';
import {
  count,
  derive,
  emit,
  entity,
  get,
  id,
  list,
  model,
  plainText,
  writeModel,
} from '../../src/design/index.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { awsPrices } from '../../src/physics/prices.ts';
import { runHere } from '../cli/run-here.ts';
import { installed } from '../clients/installed-programs.ts';
import { newDirectory } from '../storage/directories.ts';
import { output } from './page-blocks.ts';
import { mentionedCommands, type PrintedCommand, printedCommands, wordsOf } from './printed-commands.ts';

/** Commands that are not run here, with the reason. Their flags and values are read all the same. */
const notRun: readonly (readonly [RegExp, string])[] = [
  [/^(npx )?stator( -|$)/, 'serves until it is stopped: tests/cli/start.test.ts'],
  [/stator start/, 'serves until it is stopped: tests/cli/start.test.ts'],
  [/--(source-)?endpoint aws|--s3-endpoint aws|s3:\/\//, 'needs AWS or an S3 endpoint'],
  [/stator (tail|top(?!.*--once))/, 'goes on until Ctrl-C: tests/cli/tail.test.ts, tests/cli/top.test.ts'],
  [/--watch/, 'goes on until Ctrl-C: tests/cli/doctor-watch.test.ts'],
  [/stator record/, 'records real time: tests/cli/record.test.ts'],
  [/stator design run/, 'takes real time: tests/cli/design-run.test.ts'],
  [/stator lab ./, 'simulates minutes of traffic: tests/lab, tests/cli/lab.test.ts'],
  [/stator learn/, 'works in a folder of the course: tests/cli/learn.test.ts'],
  [/stator migrate (up|down)/, 'moves tables step by step: tests/migrate'],
  [/stator table-design(?!.*--non-interactive)/, 'asks a person: tests/cli/table-tools.test.ts'],
  [/stator design import/, 'reads files of other tools: src/design/import/import.test.ts'],
  [/^STATOR_STORE|--store/, 'needs a PostgreSQL of that name: tests/postgres'],
];

const whyNot = (text: string) => notRun.find(([pattern]) => pattern.test(text))?.[1];
const all = printedCommands();
const ours = all.filter(({ text }) => !/^aws /.test(text));
const hasAws = (await installed('aws', ['--version'])).length > 0;

describe('printed commands', () => {
  it.each(ours.map(({ where, text }) => [text, where] as const))('%s is read (%s)', (text) => {
    for (const line of text.split(' && ')) expect(() => read(line), line).not.toThrow();
  });

  it.each(mentionedCommands().map(({ where, text }) => [text, where] as const))(
    '%s is read in a sentence (%s)',
    (text) => {
      const line = text.replaceAll(/<[^>]*>/g, 'x');
      const [first, topic] = statorWords(line);
      if (first === 'help')
        return expect([...topicNames(), ...Object.keys(commands), 'topics', 'x']).toContain(
          topic ?? 'topics',
        );
      try {
        read(line);
      } catch (error) {
        // A flag that a sentence is about may stand without its value.
        expect(String(error), line).toContain('needs a value, but the command ends after it');
      }
    },
  );

  it('are found on pages and in help', () => {
    expect(all.length).toBeGreaterThan(150);
    // A reason that fits nothing is out of date.
    for (const [pattern, reason] of notRun)
      expect(
        all.some(({ text }) => pattern.test(text)),
        reason,
      ).toBe(true);
  });

  it('end well where they can be run', async () => {
    const failed: string[] = [];
    for (const one of ours.filter(({ text }) => whyNot(text) === undefined)) {
      const problem = await problemOf(one);
      if (problem !== undefined) failed.push(`${one.where}: ${one.text}\n${problem}`);
    }
    expect(failed).toEqual([]);
  }, 120_000);

  it.runIf(hasAws)(
    'of the AWS CLI end well',
    async () => {
      const lines = all.filter(({ text }) => text.startsWith('aws ')).map(({ text }) => placed(text));
      const variables =
        'export AWS_ACCESS_KEY_ID=x AWS_SECRET_ACCESS_KEY=x AWS_DEFAULT_REGION=us-east-1 AWS_PAGER=';
      await output(`${variables} AWS_ENDPOINT_URL=${url}\n${lines.join('\n')}`, folder);
    },
    120_000,
  );
});

const [start, now] = [Date.UTC(2026, 10, 17, 12), Date.UTC(2026, 10, 18, 12, 30)];
const clock = new VirtualClock(start);
let db: Stator;
let url: string;
let folder: string;
let backupArn: string;
let exportArn: string;
let importArn: string;

const keyed = (TableName: string, name: string) => ({
  TableName,
  AttributeDefinitions: [{ AttributeName: name, AttributeType: 'S' as const }],
  KeySchema: [{ AttributeName: name, KeyType: 'HASH' as const }],
  BillingMode: 'PAY_PER_REQUEST' as const,
});
const base = [keyed('orders', 'pk'), keyed('Orders', 'id'), keyed('Stock', 'id'), keyed('MyTable', 'id')];
const recovery = { PointInTimeRecoveryEnabled: true };

async function fill(target: Stator): Promise<void> {
  for (const table of base) {
    await target.createTable(table);
    const { TableName } = table;
    await target.updateContinuousBackups({ TableName, PointInTimeRecoverySpecification: recovery });
    const key = table.KeySchema[0]!.AttributeName;
    for (const value of ['42', 'a1'])
      await target.putItem({
        TableName,
        Item: { [key]: { S: value }, status: { S: 'open' }, total: { N: '7' } },
      });
  }
}

beforeAll(async () => {
  folder = await newDirectory();
  mkdirSync(join(folder, 'buckets', 'data', 'orders'), { recursive: true });
  db = await Stator.open({ clock, observe: true, s3: { directory: join(folder, 'buckets') } });
  await fill(db);
  clock.advanceMs(now - start);
  ({ url } = await db.listen({ port: 0 }));
  const { BackupDetails } = await db.createBackup({ TableName: 'orders', BackupName: 'first' });
  backupArn = BackupDetails.BackupArn;
  const own = await Stator.open({ store: `lmdb:${join(folder, '.stator')}` });
  await fill(own);
  await own.close();
  writeFiles();
  await exportsAndImports();
}, 60_000);

afterAll(async () => {
  await db?.close();
  rmSync(folder, { recursive: true, force: true });
});

function writeFiles(): void {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const shop = entity('Customer', {
    identity: { customerId: id(8) },
    changing: { mail: plainText(20) },
    population: count(50),
  });
  const read = get(shop, { does: 'a customer', by: 'customerId', peak: 5 });
  const byMail = list(shop, { does: 'by mail', by: 'mail', page: 10, peak: 1 });
  const [v1, v2] = [{ read }, { read, byMail }].map((reads) =>
    model('shop', { entities: [shop], reads, writes: {} }),
  );
  for (const name of ['model.json', 'model-v1.json', 'v1.json']) write(name, writeModel(v1!));
  for (const name of ['model-v2.json', 'v2.json']) write(name, writeModel(v2!));
  for (const name of ['design.json', 'design-v1.json']) write(name, JSON.stringify(derive(v1!)));
  write('template.yaml', emit('cloudformation', v1!, derive(v1!)));
  write('prices.json', JSON.stringify({ asOf: '2026-10', exportGb: awsPrices.exportGb }));
  write('orders.json', JSON.stringify(keyed('orders', 'pk')));
  write('orders-new.json', JSON.stringify(keyed('orders-new', 'pk')));
  write('orders.csv', 'pk,total\n7,5\n');
  writeFileSync(join(folder, 'buckets', 'data', 'orders', 'part.csv'), 'pk,total\n7,5\n');
}

/** The exports that pages name, where they name them. */
async function exportsAndImports(): Promise<void> {
  const { TableArn } = (await db.describeTable({ TableName: 'orders' })).Table;
  const full = await db.exportTableToPointInTime({ TableArn: TableArn!, S3Bucket: 'data' });
  exportArn = full.ExportDescription.ExportArn!;
  const window = { ExportFromTime: start / 1_000 + 3_600, ExportToTime: now / 1_000 - 3_600 };
  await db.exportTableToPointInTime({
    TableArn: TableArn!,
    S3Bucket: 'data',
    S3Prefix: 'increments',
    ExportType: 'INCREMENTAL_EXPORT',
    IncrementalExportSpecification: window,
  });
  await db.settled();
  const made = join(folder, 'buckets', 'data', 'AWSDynamoDB');
  const idOf = (path: string) => readdirSync(path).find((name) => /^\d+-\w+$/.test(name))!;
  cpSync(join(made, idOf(made)), join(made, '01700000000000-abcdef01'), { recursive: true });
  const increments = join(folder, 'buckets', 'data', 'increments', 'AWSDynamoDB');
  for (const name of ['01700000100000-12345678', 'incremental-export'])
    cpSync(join(increments, idOf(increments)), join(increments, name), { recursive: true });
  const { ImportTableDescription } = await db.importTable({
    S3BucketSource: { S3Bucket: 'data', S3KeyPrefix: 'orders/' },
    InputFormat: 'CSV',
    TableCreationParameters: keyed('imported', 'pk'),
  });
  importArn = ImportTableDescription.ImportArn!;
  await db.settled();
}

/** A command as it fits the folder of this test. */
function placed(text: string): string {
  return text
    .replaceAll('http://127.0.0.1:8000', url)
    .replaceAll(/\b(model(?:-v\d)?)\.ts/g, '$1.json')
    .replaceAll(/arn:aws:dynamodb:\S*…\/backup\/…|arn:aws:dynamodb:\S*\/backup\/…/g, backupArn)
    .replaceAll('arn:aws:dynamodb:…/export/…', exportArn)
    .replaceAll('arn:aws:dynamodb:…/import/…', importArn)
    .replace('--table-arn …', '--table-arn arn:aws:dynamodb:us-east-1:000000000000:table/orders')
    .replace('file://orders.json', 'file://orders-new.json')
    .replace(/stator import (orders|Orders) (?!.*--merge)/, 'stator import $1-new ')
    .replace('./01700000100000-12345678', './buckets/data/increments/AWSDynamoDB/01700000100000-12345678')
    .replace('./incremental-export', './buckets/data/increments/AWSDynamoDB/incremental-export')
    .replace('/backup/stator-2026-11-18', join(folder, '.stator'));
}

function commandOf(words: readonly string[]): { command: Command; name: string; rest: readonly string[] } {
  const [first = 'start', second] = words;
  if (first.startsWith('-')) return { command: commands.start!, name: 'start', rest: words };
  const top = commands[first];
  if (top === undefined) throw new Error(`there is no command ${first}`);
  const verb = second === undefined ? undefined : top.verbs?.[second];
  if (verb !== undefined) return { command: verb, name: `${first} ${second}`, rest: words.slice(2) };
  return { command: top, name: first, rest: words.slice(1) };
}

/** The words behind `stator`, without where the output goes. */
function statorWords(line: string): string[] {
  const plain = line.replace(/^(?:[A-Z_]+=(?:"[^"]*"|'[^']*'|\S+) )*(?:npx )?stator ?/, '');
  return wordsOf(plain.replace(/ > [\w./-]+$/, ''));
}

/** Reads the flags of a command and their values, as the command line does before it runs one. */
function read(line: string): void {
  const { command, name, rest } = commandOf(statorWords(line));
  const operands = command.operand === undefined ? undefined : ([] as string[]);
  const flags = parseArguments(command.options, rest, name, operands, command.operandsMax);
  settle(command.options, { flags, environment: {}, directory: '/', config: undefined });
}

/** Exit codes that are an answer: findings. */
const findings: readonly RegExp[] = [/stator (doctor|design check|design diff)/];

async function problemOf({ text }: PrintedCommand): Promise<string | undefined> {
  for (const line of placed(text).split(' && ')) {
    const to = / > ([\w./-]+)$/.exec(line)?.[1];
    const words = statorWords(line);
    const { code, out, err } = await runHere(folder, words, {
      AWS_ENDPOINT_URL: url,
      AWS_REGION: 'us-east-1',
    });
    if (to !== undefined) writeFileSync(join(folder, to), out);
    // What an import remembers of itself is in the way of the next one.
    for (const name of readdirSync(folder)) if (name.startsWith('.stator-import')) rmSync(join(folder, name));
    if (code > (findings.some((one) => one.test(line)) ? 1 : 0)) return `exit code ${code}\n${err}${out}`;
  }
  await removeNewTables();
  return undefined;
}

/** What a command restored or imported is in the way of the next one. */
async function removeNewTables(): Promise<void> {
  await db.settled();
  const { TableNames } = await db.listTables({});
  for (const TableName of TableNames)
    if (!base.some((one) => one.TableName === TableName)) await db.deleteTable({ TableName });
}
