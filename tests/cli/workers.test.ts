import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { sql } from '../postgres/test-store.ts';
import { connectToAll, KeptConnection } from './kept-connection.ts';
import { Places } from './places.ts';
import { item, plainRequest, requestHeaders, tableOf } from './plain-request.ts';
import { insist, type StatorProcess } from './stator-process.ts';

const places = new Places();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

interface Server {
  readonly stator: StatorProcess;
  readonly directory: string;
  readonly endpoint: string;
  readonly workers: readonly number[];
}

async function startWorkers(
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, unknown>> = {},
): Promise<Server> {
  const directory = await places.directory(files);
  const stator = places.start(directory, ['--port', '0', '--workers', '2', '--json', ...args], environment);
  const said = JSON.parse(await stator.out.until(/"listening"/)) as { endpoint: string; workers: number[] };
  return { stator, directory, ...said };
}

/** So many connections, which end up on both workers. */
async function connections({ endpoint, workers }: Server, count = 2): Promise<KeptConnection[]> {
  const found = await connectToAll(endpoint, workers, count);
  cleanups.push(() => {
    for (const connection of found.keys()) connection.close();
  });
  expect(new Set(found.values())).toEqual(new Set(workers));
  return [...found.keys()];
}

/** One connection to each of the two. */
async function bothWorkers(server: Server): Promise<[KeptConnection, KeptConnection]> {
  const found = await connectToAll(server.endpoint, server.workers);
  cleanups.push(() => {
    for (const connection of found.keys()) connection.close();
  });
  const [one, other] = server.workers.map((pid) => [...found].find(([, owner]) => owner === pid)![0]);
  return [one!, other!];
}

/** Where the data is: a directory of the server's own unless the environment names a database. */
const stores = [
  { name: 'a data directory', environment: async () => ({}), rounds: 100, increments: 40 },
  { name: 'PostgreSQL', environment: ownPostgres, rounds: 20, increments: 10 },
];

async function ownPostgres(): Promise<Record<string, string>> {
  const name = `workers_${randomUUID().replaceAll('-', '')}`;
  await sql(`CREATE DATABASE ${name}`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return { STATOR_STORE: url.href };
}

describe.runIf(process.platform === 'linux')('two workers', () => {
  describe.each(stores)('on $name', ({ environment, rounds, increments }) => {
    it('see what the other has written, created and deleted at once', async () => {
      const [one, other] = await bothWorkers(await startWorkers([], await environment()));
      for (let round = 0; round < 3; round++) {
        await one.ask('CreateTable', tableOf('Orders'));
        for (let i = 0; i < rounds; i++) {
          const Item = { ...item('1'), round: { N: String(round * 1_000 + i) } };
          expect((await one.ask('PutItem', { TableName: 'Orders', Item })).status).toBe(200);
          const read = { TableName: 'Orders', Key: item('1'), ConsistentRead: i % 2 === 0 };
          expect((await other.ask('GetItem', read)).body).toEqual({ Item });
        }
        await other.ask('DeleteTable', { TableName: 'Orders' });
        const gone = await one.ask('GetItem', { TableName: 'Orders', Key: item('1') });
        expect(gone).toMatchObject({
          status: 400,
          body: { __type: expect.stringContaining('ResourceNotFoundException') },
        });
      }
    });

    it('lose no increment', async () => {
      const callers = await connections(await startWorkers([], await environment()), 16);
      await callers[0]!.ask('CreateTable', tableOf('Counters'));
      await callers[0]!.ask('PutItem', {
        TableName: 'Counters',
        Item: { ...item('swapped'), n: { N: '0' } },
      });
      let conflicts = 0;
      await Promise.all(
        callers.map(async (caller) => {
          for (let done = 0; done < increments; ) {
            const added = await caller.ask('UpdateItem', update('added', 'ADD n :one', { ':one': '1' }));
            expect(added.status).toBe(200);
            const read = { TableName: 'Counters', Key: item('swapped'), ConsistentRead: true };
            const { n } = (await caller.ask('GetItem', read)).body.Item as { n: { N: string } };
            const swapped = await caller.ask('UpdateItem', {
              ...update('swapped', 'SET n = :next', { ':next': String(Number(n.N) + 1), ':seen': n.N }),
              ConditionExpression: 'n = :seen',
            });
            if (swapped.status === 200) done++;
            else {
              expect(swapped.body.__type).toContain('ConditionalCheckFailedException');
              conflicts++;
            }
          }
        }),
      );
      const counted = async (id: string) =>
        (await callers[0]!.ask('GetItem', { TableName: 'Counters', Key: item(id), ConsistentRead: true }))
          .body;
      const swaps = callers.length * increments;
      expect(await counted('swapped')).toEqual({ Item: { ...item('swapped'), n: { N: String(swaps) } } });
      expect(await counted('added')).toEqual({
        Item: { ...item('added'), n: { N: String(swaps + conflicts) } },
      });
    });
  });

  it('fill an index that is created under load, whole', async () => {
    const server = await startWorkers();
    const callers = await connections(server, 8);
    const [first, second] = callers as [KeptConnection, KeptConnection];
    await first.ask('CreateTable', tableOf('Orders'));
    const put = (caller: KeptConnection, id: string, owner: number) =>
      caller.ask('PutItem', { TableName: 'Orders', Item: { ...item(id), owner: { S: `owner-${owner}` } } });
    await Promise.all(
      callers.map(async (caller, at) => {
        for (let i = 0; i < 250; i++) await put(caller, `${at}-${i}`, i % 10);
      }),
    );
    let filled = false;
    const writing = callers.slice(2).map(async (caller, at) => {
      for (let i = 0; !filled; i++) await put(caller, `${at + 2}-${i % 250}`, (i * 7) % 10);
    });
    const created = await first.ask('UpdateTable', {
      TableName: 'Orders',
      AttributeDefinitions: [
        { AttributeName: 'id', AttributeType: 'S' },
        { AttributeName: 'owner', AttributeType: 'S' },
      ],
      GlobalSecondaryIndexUpdates: [
        {
          Create: {
            IndexName: 'ByOwner',
            KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        },
      ],
    });
    expect(created.status).toBe(200);
    while (!(await indexStatus(second)).includes('ACTIVE'));
    filled = true;
    await Promise.all(writing);
    const counts = await Promise.all(
      Array.from({ length: 10 }, async (_, owner) => {
        const found = await second.ask('Query', {
          TableName: 'Orders',
          IndexName: 'ByOwner',
          KeyConditionExpression: '#owner = :owner',
          ExpressionAttributeNames: { '#owner': 'owner' },
          ExpressionAttributeValues: { ':owner': { S: `owner-${owner}` } },
          Select: 'COUNT',
        });
        return found.body.Count as number;
      }),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2_000);
    const check = await places.run(server.directory, ['check', '--shared', '--json']);
    expect(JSON.parse(check.out)).toMatchObject({ clean: true, items: 2_000, indexEntries: 2_000 });
    expect(check.code).toBe(0);
  });

  it('keep all that was answered when one is killed, and another takes its place', async () => {
    const server = await startWorkers();
    const { stator, endpoint, workers } = server;
    const callers = await connections(server, 8);
    await callers[0]!.ask('CreateTable', tableOf('Orders'));
    const answered: string[] = [];
    let enough = false;
    const writing = callers.map(async (first, at) => {
      let caller = first;
      for (let i = 0; !enough; i++) {
        const id = `${at}-${i}`;
        const put = await caller
          .ask('PutItem', { TableName: 'Orders', Item: item(id) })
          .catch(() => undefined);
        if (put?.status === 200) answered.push(id);
        else {
          caller = new KeptConnection(endpoint);
          cleanups.push(() => caller.close());
        }
      }
    });
    while (answered.length < 200) await plainRequest(endpoint, 'ListTables', {});
    process.kill(workers[0]!, 'SIGKILL');
    await stator.err.until(new RegExp(`Worker 1 \\(process ${workers[0]}\\) ended: SIGKILL`));
    const said = await stator.err.until(/Worker 1 is process \d+ now/);
    const after = answered.length;
    while (answered.length < after + 200) await plainRequest(endpoint, 'ListTables', {});
    enough = true;
    await Promise.all(writing);
    const now = [Number(/is process (\d+)/.exec(said)![1]), workers[1]!];
    const [one, other] = await bothWorkers({ ...server, workers: now });
    for (const [at, id] of answered.entries()) {
      const read = { TableName: 'Orders', Key: item(id) };
      expect((await [one, other][at % 2]!.ask('GetItem', read)).body).toEqual({ Item: item(id) });
    }
    expect((await one.control('check')).body).toMatchObject({ clean: true });
  });

  it('hear of one that was killed, so that its commit is finished', async () => {
    const hear = [
      "if (require('node:cluster').isWorker) process.on('message', (message) => {",
      '  if (message?.workerEnded) console.error(process.pid, "hears of", message.workerEnded);',
      '});',
    ].join('\n');
    const preload = { NODE_OPTIONS: '--require ./hear.cjs' };
    const { stator, workers } = await startWorkers([], preload, { 'hear.cjs': hear });
    process.kill(workers[0]!, 'SIGKILL');
    expect(await stator.err.until(/hears of/)).toBe(`${workers[1]} hears of 1`);
  });

  it('leave nobody waiting for a worker that was killed before it took a connection', async () => {
    const { stator, endpoint, workers } = await startWorkers();
    const port = Number(new URL(endpoint).port);
    for (const pid of workers) process.kill(pid, 'SIGSTOP');
    // One is handed to each of the workers, which stand still and do not take it.
    const sockets = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const ends = sockets.map(
      (socket) => new Promise<void>((resolve) => socket.on('error', () => {}).once('close', () => resolve())),
    );
    for (const socket of sockets) socket.resume();
    for (const pid of workers) process.kill(pid, 'SIGKILL');
    await Promise.all(ends);
    await stator.err.until(/Worker 1 is process/);
    await stator.err.until(/Worker 2 is process/);
    expect((await plainRequest(endpoint, 'ListTables', {})).body).toEqual({ TableNames: [] });
  });

  it('stop serving when workers keep being killed', async () => {
    const { stator, workers } = await startWorkers();
    const killed = [workers[0]!];
    process.kill(workers[0]!, 'SIGKILL');
    while (killed.length < 5) {
      const another = new RegExp(`Worker 1 is process (?!(${killed.join('|')}) )\\d+ now`);
      const pid = Number(/is process (\d+)/.exec(await stator.err.until(another))![1]);
      process.kill(pid, 'SIGKILL');
      killed.push(pid);
    }
    const { code, err } = await stator.ended;
    expect(code).toBe(1);
    expect(err).toMatch(/Workers keep ending soon after their start, 5 in a row\. The latest: Worker 1 /);
    await expectGone(workers);
  });

  it('end with a primary that was killed', async () => {
    const { stator, workers } = await startWorkers();
    stator.process.kill('SIGKILL');
    // Resolves when nobody has the output of the server open any more.
    await stator.ended;
    await expectGone(workers);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('finish their requests at %s', async (signal) => {
    const server = await startWorkers();
    const port = Number(new URL(server.endpoint).port);
    const body = '{}';
    const headers = { ...requestHeaders('ListTables'), Host: 'localhost', 'Content-Length': body.length };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const sockets = Array.from({ length: 6 }, () => connect(port, '127.0.0.1').setEncoding('utf8'));
    for (const socket of sockets) {
      socket.write(`POST / HTTP/1.1\r\n${lines.join('')}Expect: 100-continue\r\n\r\n`);
      // A worker has begun with the request when it asks for the body.
      await once(socket, 'data');
    }
    server.stator.process.kill(signal);
    // A terminal says it to all of them.
    for (const pid of server.workers) process.kill(pid, signal);
    await server.stator.err.until(new RegExp(`${signal}: finishing`));
    for (const socket of sockets) {
      socket.write(body);
      const [answer] = (await once(socket, 'data')) as [string];
      expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*\{"TableNames":\[\]\}$/);
    }
    expect(await server.stator.ended).toMatchObject({ code: 0, signal: null });
    expect(server.stator.err.text).toMatch(/Stopped\."\}\n$/);
    expect(server.stator.err.text).not.toContain('takes its place');
  });

  it('end at once when the server is told twice', async () => {
    const { stator, endpoint, workers } = await startWorkers();
    const socket = connect(Number(new URL(endpoint).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n');
    await once(socket, 'data');
    stator.process.kill('SIGTERM');
    await stator.err.until(/finishing/);
    insist(stator.process);
    expect(await stator.ended).toMatchObject({ code: 143 });
    await expectGone(workers);
  });

  it('count the live rates of both', async () => {
    const server = await startWorkers();
    const [one, other] = await bothWorkers(server);
    await one.ask('CreateTable', tableOf('Orders'));
    for (let i = 0; i < 5; i++) await one.ask('PutItem', { TableName: 'Orders', Item: item(`a${i}`) });
    for (let i = 0; i < 7; i++) await other.ask('PutItem', { TableName: 'Orders', Item: item(`b${i}`) });
    const units = async (worker: KeptConnection) => {
      const { body } = await worker.look('series?seconds=300&table=Orders');
      const { tables } = body as { tables: { seconds: { writeUnits: number }[] }[] };
      return tables.flatMap(({ seconds }) => seconds).reduce((sum, { writeUnits }) => sum + writeUnits, 0);
    };
    for (const worker of [one, other]) await expect.poll(() => units(worker), { timeout: 20_000 }).toBe(12);
    // A feed tells a second when both have told it.
    const feed = one.lines('live?table=Orders');
    await feed.next();
    const [third, fourth] = await bothWorkers(server);
    for (const worker of [third, fourth, fourth])
      await worker.ask('PutItem', { TableName: 'Orders', Item: item('c') });
    let seen = 0;
    while (seen < 3) {
      const { tables } = (await feed.next()).value as { tables: { writeUnits: number }[] };
      for (const { writeUnits } of tables) seen += writeUnits;
    }
    expect(seen).toBe(3);
  });

  it('answer the metrics of both, by Prometheus and in insights', async () => {
    const server = await startWorkers();
    const [one, other] = await bothWorkers(server);
    await one.ask('CreateTable', tableOf('Orders'));
    await one.ask('UpdateContributorInsights', {
      ...{ TableName: 'Orders', ContributorInsightsAction: 'ENABLE' },
    });
    for (let i = 0; i < 5; i++) await one.ask('PutItem', { TableName: 'Orders', Item: item(`a${i}`) });
    for (let i = 0; i < 7; i++) await other.ask('PutItem', { TableName: 'Orders', Item: item('b') });
    const units = /^stator_consumed_write_capacity_units_total\{.*table="Orders".*process="(\d+)"\} (\d+)$/gm;
    for (let scrape = 0; scrape < 3; scrape++) {
      const text = await (await fetch(`${server.endpoint}/_stator/metrics`)).text();
      const found = [...text.matchAll(units)].map(([, pid, value]) => [Number(pid), Number(value)]);
      expect(new Map(found as [number, number][])).toEqual(
        new Map([...server.workers].map((pid, at) => [pid, [5, 7][at]!])),
      );
      expect(text.match(/^# TYPE stator_consumed_write_capacity_units_total /gm)).toHaveLength(1);
    }
    const weights = async (worker: KeptConnection) => {
      const { body } = await worker.look('insights/Orders');
      const { resources } = body as { resources: { rules: { kind: string; total: number }[] }[] };
      return resources[0]!.rules.find(({ kind }) => kind === 'PKC')?.total;
    };
    for (const worker of [one, other])
      await expect.poll(() => weights(worker), { timeout: 20_000 }).toBe(3 * 12);
  });

  it('have their data initialised once', async () => {
    const tables = { tables: [tableOf('Orders')], items: { Orders: [item('1')] } };
    const server = await startWorkers(['--init', 'init.json'], {}, { 'init.json': tables });
    for (const worker of await bothWorkers(server))
      expect((await worker.ask('Scan', { TableName: 'Orders' })).body).toMatchObject({ Items: [item('1')] });
    expect(server.stator.err.text.match(/Created 1 table and put 1 item/g)).toHaveLength(1);
    process.kill(server.workers[0]!, 'SIGKILL');
    await server.stator.err.until(/Worker 1 is process/);
    expect(server.stator.err.text).not.toContain('exists already');
  });

  it('refuse what one of them alone would know', async () => {
    const [one] = await bothWorkers(await startWorkers());
    expect(await one.control('faults', { error: 'ThrottlingException' })).toEqual({
      status: 409,
      body: {
        error:
          '/_stator/faults is about a single process, and this server has several: start it without --workers',
      },
    });
    for (const path of ['namespaces/a', 'snapshot', 'clock'])
      expect([path, (await one.control(path, { advanceMs: 1 })).status]).toEqual([path, 409]);
  });
});

describe('a server of several workers that cannot start', () => {
  const refusals = [
    [
      ['--in-memory'],
      'needs data that several processes can share, and a database in memory belongs to one.',
    ],
    [['--clock', 'virtual'], 'cannot go with --clock virtual: every process would have a time of its own.'],
    [
      ['--seed', '1'],
      'cannot go with --seed: which process answers is chance, and all would make up the same ids.',
    ],
    [
      ['--no-shared'],
      'shares the data directory between processes, and --no-shared says that it is not shared.',
    ],
  ] as const;
  it.each(refusals)('is refused with %s', async (args, why) => {
    const directory = await places.directory();
    const { code, err } = await places.run(directory, ['--port', '0', '--workers', '2', ...args]);
    expect([code, err.split('\n')[0]]).toEqual([2, `stator: --workers 2 ${why}`]);
    expect(await readdir(directory)).toEqual([]);
  });

  it('names the variable that it was asked for by', async () => {
    const { err } = await places.run(await places.directory(), ['--in-memory'], { STATOR_WORKERS: '3' });
    expect(err).toMatch(/^stator: STATOR_WORKERS 3 needs data .*\n.* or leave out STATOR_WORKERS\.\n$/);
  });

  it('tells of a port that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const directory = await places.directory();
    const { code, err } = await places.run(directory, ['--port', String(port), '--workers', '2']);
    expect([code, err]).toEqual([1, expect.stringMatching(`^stator: Port ${port} on 127.0.0.1 is taken by`)]);
    expect(await readdir(directory)).toEqual([]);
  });

  it('tells once of data that another process has', async () => {
    const directory = await places.directory();
    const first = places.start(directory, ['--port', '0']);
    await first.endpoint();
    const { code, err } = await places.run(directory, ['--port', '0', '--workers', '2']);
    expect(code).toBe(1);
    expect(err).toMatch(
      new RegExp(`^stator: The data directory .* is in use by process ${first.process.pid}\\.`),
    );
    expect(err.match(/in use/g)).toHaveLength(1);
  });
});

function update(id: string, UpdateExpression: string, numbers: Readonly<Record<string, string>>): object {
  const values = Object.entries(numbers).map(([name, N]) => [name, { N }]);
  const ExpressionAttributeValues = Object.fromEntries(values) as object;
  return { TableName: 'Counters', Key: item(id), UpdateExpression, ExpressionAttributeValues };
}

async function indexStatus(caller: KeptConnection): Promise<string> {
  const { body } = await caller.ask('DescribeTable', { TableName: 'Orders' });
  const { GlobalSecondaryIndexes: indexes } = body.Table as {
    GlobalSecondaryIndexes?: { IndexStatus: string }[];
  };
  return indexes?.[0]?.IndexStatus ?? '';
}

/** Those of the processes that there still are; one that only waits to be asked about its end is gone. */
/** A process that was killed closes its output a moment before the system calls it dead. */
async function expectGone(pids: readonly number[]): Promise<void> {
  await expect.poll(() => living(pids), { timeout: 10_000 }).toEqual([]);
}

function living(pids: readonly number[]): number[] {
  return pids.filter((pid) => {
    try {
      return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return false;
    }
  });
}
