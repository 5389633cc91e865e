import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { QueryCommandInput, QueryCommandOutput } from '@aws-sdk/client-dynamodb';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  clockTime,
  type Example,
  examplesBegin,
  played,
  serverTime,
  type Time,
} from '../../examples/stage.ts';
import { Stator, VirtualClock } from '../../src/index.ts';

/**
 * Every example says what it found, with what each request consumed; what it must say stands beside it in `printed/`.
 * An example that is added is found here by itself, and fails until somebody has written down what it prints.
 */
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}/examples/patterns`;
const names = readdirSync(folder).flatMap((file) => /^(.+)\.ts$/.exec(file)?.[1] ?? []);
const printed = (name: string) => readFileSync(`${folder}/printed/${name}.txt`, 'utf8');

describe('examples', () => {
  const clock = new VirtualClock(examplesBegin);
  let db: Stator;
  let url: string;
  beforeAll(async () => {
    db = await Stator.open({ clock });
    url = (await db.listen({ port: 0 })).url;
  });
  afterAll(() => db.close());

  const doors: Record<string, () => Promise<{ client: DynamoDBClient; time: Time }>> = {
    'in process': async () => ({ client: db.client(), time: clockTime(db) }),
    'over HTTP': async () => ({
      client: new DynamoDBClient({ endpoint: url, region: 'us-east-1', credentials: anyone }),
      time: await serverTime(url),
    }),
  };
  for (const [door, open] of Object.entries(doors)) {
    it.each(names)(`%s prints what it should ${door}`, async (name) => {
      const { run }: { run: Example } = await import(`${folder}/${name}.ts`);
      clock.setMs(examplesBegin);
      const { client, time } = await open();
      const watched = watch(client);
      expect(await played(run, DynamoDBDocumentClient.from(client), time)).toBe(printed(name));
      client.destroy();
      expect(watched.operations).not.toContain('Scan');
      // An access pattern is one request: nothing is left to be read, unless so many items and no more were wanted.
      expect(watched.unfinished).toEqual([]);
      expect((await db.listTables({})).TableNames).toEqual([]);
    });
  }

  it('are started by themselves, in process and against a server', async () => {
    const start = async (environment: NodeJS.ProcessEnv) => {
      const { STATOR_ENDPOINT: _, ...others } = process.env;
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--import', 'tsx', 'examples/patterns/hierarchical-sort-key.ts'],
        { cwd: root, env: { ...others, ...environment } },
      );
      return stdout;
    };
    expect(await start({})).toBe(printed('hierarchical-sort-key'));
    expect(await start({ STATOR_ENDPOINT: url })).toBe(printed('hierarchical-sort-key'));
  });

  it('stand in the index, each with what it prints', () => {
    const index = readFileSync(`${root}/examples/README.md`, 'utf8');
    expect(names.filter((name) => !index.includes(`(patterns/${name}.ts)`))).toEqual([]);
    const files = readdirSync(`${folder}/printed`).map((file) => file.replace(/\.txt$/, ''));
    expect(files.sort()).toEqual([...names].sort());
  });
});

const anyone = { accessKeyId: 'anyone', secretAccessKey: 'anything' };

/** Which operations a client sends, and the Queries that were given no limit and still had more than one page. */
function watch(client: DynamoDBClient): { operations: string[]; unfinished: QueryCommandInput[] } {
  const operations: string[] = [];
  const unfinished: QueryCommandInput[] = [];
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (given) => {
        const answer = await next(given);
        operations.push(commandName.replace(/Command$/, ''));
        const { LastEvaluatedKey } = answer.output as QueryCommandOutput;
        const input = given.input as QueryCommandInput;
        if (LastEvaluatedKey !== undefined && input.Limit === undefined) unfinished.push(input);
        return answer;
      },
    { step: 'initialize', name: 'watch' },
  );
  return { operations, unfinished };
}
