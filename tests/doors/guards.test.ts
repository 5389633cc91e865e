import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ListenOptions, Stator, type StatorOptions, VirtualClock } from '../../src/index.ts';
import { forkPerTest, testDatabase } from '../../src/testing/index.ts';
import { ordersTable } from './orders-table.ts';

/** What programs pass that no compiler has looked at: each mistake is told in one sentence that says what to do. */

const inMemoryNames =
  'clock, seed, physics, region, itemCollectionBytesMax, quotas, kinesis, s3, observe, alarmActions, observer, tracing, authorize, log, debug';
const choices = '"memory", "lmdb:<directory>", "postgres://…", { directory } or { url }';

describe('Stator.open refuses', () => {
  it.each<[unknown, string]>([
    [null, 'Stator.open takes an object of options, such as { store: … }, and not null'],
    ['lmdb:./data', 'Stator.open takes an object of options, such as { store: … }, and not "lmdb:./data"'],
    [[], 'Stator.open takes an object of options, such as { store: … }, and not an array'],
    [{ stor: 'memory' }, 'Stator.open has no option "stor": did you mean "store"?'],
    [{ Physics: 'enforce' }, 'Stator.open has no option "Physics": did you mean "physics"?'],
    [{ inMemory: true }, `Stator.open has no option "inMemory": it takes store, ${inMemoryNames}`],
    [{ store: 42 }, `Stator.open: store must be ${choices}, and not 42`],
    [{ store: null }, `Stator.open: store must be ${choices}, and not null`],
    [{ store: {} }, `Stator.open: store must be ${choices}, and not an object`],
    [{ store: ['lmdb:./data'] }, `Stator.open: store must be ${choices}, and not an array`],
    [{ store: { shared: true } }, `Stator.open: store must be ${choices}, and not an object`],
    [
      { store: { dir: 'x' } },
      'Stator.open: store has no option "dir": it takes directory, durability, shared',
    ],
    [{ store: { directry: 'x' } }, 'Stator.open: store has no option "directry": did you mean "directory"?'],
    [{ store: { directory: 1 } }, 'Stator.open: store: directory must be a text, and not 1'],
    [
      { store: { directory: './x', durability: 'none' } },
      'Stator.open: store: durability must be "durable" or "relaxed", and not "none"',
    ],
    [
      { store: { directory: './x', shared: 'yes' } },
      'Stator.open: store: shared must be true or false, and not "yes"',
    ],
    [
      { store: { url: 'http://me:secret@h' } },
      'Stator.open: store: url must be postgres://<user>:<password>@<host>/<database>',
    ],
    [
      { store: { url: 'postgres://h/d', shema: 's' } },
      'Stator.open: store has no option "shema": did you mean "schema"?',
    ],
    [
      { store: 'postgress://me:secret@h/d' },
      '"postgress://***@h/d" names no store: use memory, lmdb:<directory> or postgres://<user>:<password>@<host>/<database>',
    ],
    [{ clock: 5 }, 'Stator.open: clock must be a clock such as new VirtualClock(Date.now()), and not 5'],
    [
      { clock: VirtualClock },
      'Stator.open: clock must be a clock such as new VirtualClock(Date.now()), and not the function VirtualClock',
    ],
    [{ seed: '1' }, 'Stator.open: seed must be a whole number, and not "1"'],
    [{ seed: Number.NaN }, 'Stator.open: seed must be a whole number, and not NaN'],
    [
      { physics: 'real' },
      'Stator.open: physics must be one of "off", "shadow", "enforce" or an object with them, and not "real"',
    ],
    [
      { region: 'eu west' },
      'Stator.open: region must be the name of a Region such as "eu-west-1", and not "eu west"',
    ],
    [
      { itemCollectionBytesMax: 0 },
      'Stator.open: itemCollectionBytesMax must be a whole number of at least 1, and not 0',
    ],
    [{ log: {} }, 'Stator.open: log must be a function, and not an object'],
    [
      { kinesis: { endpont: 'aws' } },
      'Stator.open: kinesis has no option "endpont": did you mean "endpoint"?',
    ],
    [
      { kinesis: { endpoint: '127.0.0.1' } },
      'Stator.open: kinesis: endpoint must be a URL such as "http://127.0.0.1:4566", or "aws", and not "127.0.0.1"',
    ],
    [
      { kinesis: { credentials: { accessKeyId: 1 } } },
      'Stator.open: kinesis: credentials: accessKeyId must be a text, and not 1',
    ],
  ])('%j', async (options, text) => {
    await expect(Stator.open(options as StatorOptions)).rejects.toThrow(exactly(text));
  });

  it('the same where everything is in memory, where there is no store', () => {
    expect(() => Stator.inMemory({ store: 'memory' } as object)).toThrow(
      exactly(`Stator.inMemory has no option "store": it takes ${inMemoryNames}`),
    );
    expect(() => Stator.inMemory({ sed: 1 } as object)).toThrow(/did you mean "seed"\?$/);
  });

  it('no option that is undefined', async () => {
    const db = await Stator.open({ store: undefined, seed: undefined } as object);
    await db.close();
  });
});

describe('a virtual clock refuses', () => {
  const example = "in milliseconds, such as Date.parse('2026-01-01'), and not";

  it.each<[unknown, string]>([
    [undefined, 'undefined'],
    [Number.NaN, 'NaN'],
    ['2026-01-01', '"2026-01-01"'],
    [new Date(0), 'a Date'],
  ])('to start at %s', (start, shown) => {
    expect(() => new VirtualClock(start as number)).toThrow(
      exactly(`new VirtualClock takes the time to start at ${example} ${shown}`),
    );
  });

  it('to move to nowhere, and stays where it is', () => {
    const clock = new VirtualClock(5);
    expect(() => clock.setMs(undefined as never)).toThrow(
      exactly(`setMs takes the new time ${example} undefined`),
    );
    expect(() => clock.advanceMs('1s' as never)).toThrow(
      exactly('advanceMs takes how far to move in milliseconds, such as 60_000, and not "1s"'),
    );
    expect(clock.nowMs()).toBe(5);
  });
});

describe('a database', () => {
  let db: Stator;

  beforeAll(async () => {
    db = await Stator.open();
  });

  afterAll(() => db.close());

  it.each<[unknown, string]>([
    [8000, 'listen takes an object of options, such as { port: … }, and not 8000'],
    [{ prot: 0 }, 'listen has no option "prot": did you mean "port"?'],
    [{ hostname: '::1' }, 'listen has no option "hostname": it takes port, host, auth, credentials'],
    [{ port: '8000' }, 'listen: port must be a whole number from 0 to 65535, and not "8000"'],
    [{ port: 70_000 }, 'listen: port must be a whole number from 0 to 65535, and not 70000'],
    [{ port: 0, host: true }, 'listen: host must be a text, and not true'],
    [{ port: 0, auth: 'none' }, 'listen: auth must be "open" or "verify", and not "none"'],
    [
      { port: 0, auth: 'verify' },
      'listen: auth "verify" needs credentials, such as credentials: [{ accessKeyId, secretAccessKey }]',
    ],
    [
      { port: 0, credentials: { accessKeyId: 'a', secretAccessKey: 'b' } },
      'listen: credentials must be an array such as [{ accessKeyId, secretAccessKey }], and not an object',
    ],
    [{ port: 0, credentials: [{ accessKeyId: 'a' }] }, 'listen: credentials[0] has no secretAccessKey'],
    [
      { port: 0, credentials: [{ accessKeyID: 'a' }] },
      'listen: credentials[0] has no option "accessKeyID": did you mean "accessKeyId"?',
    ],
    [
      { port: 0, pinScope: { accountId: '1' } },
      'listen: pinScope: accountId must be an account id of 12 digits, and not "1"',
    ],
    [{ port: 0, oneOfSeveral: 1 }, 'listen: oneOfSeveral must be true or false, and not 1'],
    [
      { port: 0, host: '0.0.0.0' },
      'listen: 0.0.0.0 can be reached from other machines, so set auth: "verify" with credentials, or on a network that you trust auth: "open"',
    ],
    [{ port: 0, host: '::' }, 'listen: :: can be reached from other machines'],
    [{ port: 0, host: 'example.test' }, 'listen: example.test can be reached from other machines'],
  ])('does not listen on %j', async (options, text) => {
    await expect(db.listen(options as ListenOptions)).rejects.toThrow(TypeError);
    await expect(db.listen(options as ListenOptions)).rejects.toThrow(text);
  });

  it('listens on every address when the program says that it is open', async () => {
    for (const host of ['127.0.0.1', 'localhost']) await (await db.listen({ port: 0, host })).close();
    const server = await db.listen({ port: 0, host: '0.0.0.0', auth: 'open' });
    await server.close();
  });

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'putItem()',
      () => db.putItem(none),
      'putItem takes an object with the parameters of PutItem, and not undefined',
    ],
    [
      'getItem("x")',
      () => db.getItem('x' as never),
      'getItem takes an object with the parameters of GetItem',
    ],
    [
      'query(null)',
      () => db.query(null as never),
      'query takes an object with the parameters of Query, and not null',
    ],
    [
      'scan([])',
      () => db.scan([] as never),
      'scan takes an object with the parameters of Scan, and not an array',
    ],
    [
      'listTables(null)',
      () => db.listTables(null as never),
      'listTables takes an object with the parameters of ListTables',
    ],
    [
      'batchWriteItem()',
      () => db.batchWriteItem(none),
      'batchWriteItem takes an object with the parameters of BatchWriteItem, and not undefined',
    ],
    [
      'options of a method',
      () => db.listTables({}, { regoin: 'eu-west-1' } as object),
      'listTables has no option "regoin": did you mean "region"?',
    ],
    [
      'a Region',
      () => db.listTables({}, { region: 'eu west' }),
      'listTables: region must be the name of a Region such as "eu-west-1", and not "eu west"',
    ],
    [
      'an account',
      () => db.listTables({}, { accountId: '12' }),
      'listTables: accountId must be an account id of 12 digits, and not "12"',
    ],
    [
      'explain()',
      () => db.explain(none),
      'explain takes a statement, such as "SELECT * FROM orders", and not undefined',
    ],
    [
      'check',
      () => db.check({ progress: () => {} } as object),
      'check has no option "progress": did you mean "onProgress"?',
    ],
    [
      'follow()',
      () => db.follow(none).ready,
      'follow takes the name of a table, such as "orders", and not undefined',
    ],
    [
      'follow from',
      () => db.follow('orders', { from: 'start' as never }).ready,
      'follow: from must be "now" or "oldest", and not "start"',
    ],
    [
      'follow signal',
      () => db.follow('orders', { signal: new AbortController() as never }).ready,
      'follow: signal must be an AbortSignal, and not an AbortController',
    ],
  ])('refuses %s', async (_, call, text) => {
    await expect(call()).rejects.toThrow(TypeError);
    await expect(call()).rejects.toThrow(text);
  });

  it.each<[string, () => unknown, string]>([
    ['fork', () => db.fork({ clok: 1 } as object), 'fork has no option "clok": did you mean "clock"?'],
    [
      'the seed of a fork',
      () => db.fork({ seed: '1' as never }),
      'fork: seed must be a whole number, and not "1"',
    ],
    ['restore', () => db.restore(none), 'restore takes another Stator in memory, and not undefined'],
    [
      'client',
      () => db.client('us-east-1' as never),
      'A client takes the configuration of the AWS SDK, such as { maxAttempts: 1 }, and not "us-east-1"',
    ],
    [
      'a fault that is none',
      () => db.faults.add(none),
      'A fault is an object such as { error: "ThrottlingException", table: "orders" }, and not undefined',
    ],
    [
      'a misspelt fault',
      () => db.faults.add({ error: 'ThrottlingException', tabel: 'orders' } as never),
      'tabel is not known here: did you mean table?',
    ],
  ])('refuses at once: %s', (_, call, text) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(exactly(text));
  });
});

describe('stator/testing refuses', () => {
  it.each<[unknown, string]>([
    ['tables.json', 'testDatabase takes an object of options, such as { tables: … }, and not "tables.json"'],
    [{ table: [] }, 'testDatabase has no option "table": did you mean "tables"?'],
    [{ cloudformation: '' }, 'testDatabase has no option "cloudformation": did you mean "cloudFormation"?'],
    [
      { tables: './tables.json' },
      'testDatabase: tables must be the text of a file and not its name: readFileSync("./tables.json", \'utf8\')',
    ],
    [
      { tables: [ordersTable, undefined] },
      'testDatabase: tables[1] must be a CreateTable request or a template, as an object or as text, and not undefined',
    ],
    [
      { cloudFormation: 'template.yaml' },
      'testDatabase: cloudFormation must be the text of a file and not its name: readFileSync("template.yaml", \'utf8\')',
    ],
    [
      { parameters: [] },
      "testDatabase: parameters must be an object of the template's parameters, and not an array",
    ],
    [{ setup: {} }, 'testDatabase: setup must be a function, and not an object'],
    [{ clock: 0 }, 'testDatabase: clock must be a clock such as new VirtualClock(Date.now()), and not 0'],
  ])('a test database with %j', async (options, text) => {
    await expect(testDatabase(options as object)).rejects.toThrow(exactly(text));
    expect(() => forkPerTest(options as object, { beforeEach: () => {} })).toThrow(
      exactly(text.replace('testDatabase', 'forkPerTest')),
    );
  });

  it('a fork per test of what is no database yet', async () => {
    const promise = testDatabase();
    const takes =
      'forkPerTest takes the options of testDatabase, or the result of await testDatabase(…), and not';
    expect(() => forkPerTest(promise as object, { beforeEach: () => {} })).toThrow(
      exactly(`${takes} a Promise`),
    );
    const base = await promise;
    expect(() => forkPerTest(base.db as object, { beforeEach: () => {} })).toThrow(
      exactly(`${takes} a Stator`),
    );
    await base.close();
  });

  it('hooks that are none', () => {
    const needs = 'forkPerTest needs the hooks of your test runner: forkPerTest(…, { beforeEach, afterAll })';
    expect(() => forkPerTest({}, none)).toThrow(exactly(needs));
    expect(() => forkPerTest({}, { beforeEach: true as never })).toThrow(exactly(needs));
    expect(() => forkPerTest({}, { beforeEach: () => {}, afterAll: 1 as never })).toThrow(
      exactly('forkPerTest: afterAll must be the hook of your test runner, and not 1'),
    );
  });
});

describe('a database of forkPerTest before the first test', () => {
  const text = /^The database of forkPerTest answers once a test has begun.*: use setup for what every test/;

  it.each([
    ['options', async () => ({ tables: ordersTable })],
    ['a test database', () => testDatabase({ tables: ordersTable })],
  ])('says to use setup, when made from %s', async (_, from) => {
    const hooks: (() => Promise<void>)[] = [];
    const db = forkPerTest(await from(), { beforeEach: (run) => hooks.push(run) });
    // A client and a server may be made before; what they ask is what counts.
    const client = db.client({ maxAttempts: 1 });
    await expect(db.listTables()).rejects.toThrow(text);
    await expect(client.send(await listTables())).rejects.toThrow(text);
    expect(() => db.fork()).toThrow(text);
    expect(() => db.follow('orders')).toThrow(text);
    for (const run of hooks) await run();
    expect((await db.listTables()).TableNames).toEqual(['orders']);
    expect((await client.send(await listTables())).TableNames).toEqual(['orders']);
    await db.fork().close();
    await db.close();
    await expect(db.listTables()).rejects.toThrow('The database is closed');
  });
});

const none = undefined as never;

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`);
}

async function listTables() {
  const { ListTablesCommand } = await import('@aws-sdk/client-dynamodb');
  return new ListTablesCommand();
}
