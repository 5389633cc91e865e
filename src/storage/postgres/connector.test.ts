import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { Connector } from './connector.ts';
import type { Driver } from './driver.ts';

/** What a server answers: rows to a statement, an SQLSTATE, nothing at all, or a refusal to connect. */
interface FakeServer {
  version: string;
  answer(sql: string): unknown[] | string | 'silence';
  refuses?: Error;
}

const postgres = (answer: unknown[]): FakeServer => ({ version: 'PostgreSQL 18.4', answer: () => answer });
const primary = (timeline = '00000001', started = '1.5') => postgres([false, 'off', '7', timeline, started]);
const standby = () => postgres([true, 'on', '7', null, '2.5']);

function driverOn(servers: Readonly<Record<string, FakeServer>>): { driver: Driver; asked: string[] } {
  const asked: string[] = [];
  class Client extends EventEmitter {
    readonly #host: string;
    readonly #stream: EventEmitter;

    constructor(config: { connectionString: string; stream: () => EventEmitter }) {
      super();
      this.#host = new URL(config.connectionString).host;
      this.#stream = config.stream();
    }

    async connect() {
      asked.push(`${this.#host} connect`);
      const { refuses } = servers[this.#host]!;
      if (refuses !== undefined) throw refuses;
    }

    async query({ text }: { text: string }) {
      const server = servers[this.#host]!;
      if (text === 'SELECT version()') return { rows: [[server.version]] };
      asked.push(`${this.#host} ${text}`);
      const answer = server.answer(text);
      if (Array.isArray(answer)) return { rows: [answer] };
      if (answer === 'silence')
        return await new Promise((_, reject) => {
          this.#stream.once('close', () => reject(new Error('Connection terminated')));
        });
      throw Object.assign(new Error(`SQLSTATE ${answer}`), { code: answer, severity: 'ERROR' });
    }

    async end() {}
  }
  return { driver: { Client } as unknown as Driver, asked };
}

function connectorOn(servers: Readonly<Record<string, FakeServer>>, hostMsMax = 10_000) {
  const { driver, asked } = driverOn(servers);
  const hosts = Object.keys(servers).map((name) => ({ name, url: `postgres://${name}/d` }));
  return {
    connector: new Connector(driver, { hosts, target: 'primary', hostMsMax, keepAliveMs: 1_000 }),
    asked,
    connects: () => asked.filter((one) => one.endsWith('connect')).map((one) => one.split(' ')[0]),
  };
}

test('hosts are tried in their order, later beginning with the primary', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const servers = { a: { ...primary(), refuses: refused }, b: standby(), c: primary() };
  const { connector, connects } = connectorOn(servers);
  expect((await connector.connect()).host.name).toBe('c');
  expect(connects()).toEqual(['a', 'b', 'c']);
  await connector.connect();
  expect(connects()).toEqual(['a', 'b', 'c', 'c']);
  servers.c = standby();
  servers.b = primary('00000002');
  expect((await connector.connect()).host.name).toBe('b');
  expect(connects().slice(4)).toEqual(['c', 'a', 'b']);
});

test('where no host is the primary, the error tells of each', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const silent: FakeServer = { version: 'PostgreSQL 18.4', answer: () => 'silence' };
  const { connector } = connectorOn({ a: { ...primary(), refuses: refused }, b: standby(), c: silent }, 20);
  await expect(connector.connect()).rejects.toMatchObject({
    trouble: 'unavailable',
    message:
      'PostgreSQL cannot be reached: a: connect ECONNREFUSED; ' +
      'b is a standby (it is in recovery), and Stator works on the primary only; c: no answer within 20 ms',
  });
  expect(await connector.signOfLife()).toMatchObject({ alive: false });
});

test.each([
  ['that lacks all functions', () => '42883'],
  ['that knows no recovery', (sql: string) => (sql.includes('recovery') ? '42883' : [false, 'off'])],
  [
    'that may not be asked for its identity',
    (sql: string) => (sql.includes('control') ? '42501' : [false, 'off']),
  ],
])('an engine %s is used all the same', async (_, answer) => {
  for (const version of ['CockroachDB CCL v25.1.0', 'PostgreSQL 15.12-YB-2025.1.0.0-b0', 'PostgreSQL 18.4']) {
    const { connector, asked } = connectorOn({ a: { version, answer } });
    expect((await connector.connect()).server).toBeUndefined();
    const first = asked.length;
    await connector.connect();
    expect(asked.length - first, 'what it cannot answer is asked once').toBeLessThanOrEqual(2);
  }
});

test('where recovery is unknown, a session that takes no writes is refused', async () => {
  const answer = (sql: string) => (sql.includes('recovery') ? '42883' : [true, 'on']);
  const { connector } = connectorOn({ a: { version: 'CockroachDB CCL v25.1.0', answer } });
  await expect(connector.connect()).rejects.toThrow('is a standby');
});

test('0A000 means a hot standby on PostgreSQL, and a missing feature elsewhere', async () => {
  const answer = (sql: string) => (sql.includes('recovery') ? '0A000' : [false, 'off']);
  const hot = connectorOn({ a: { version: 'PostgreSQL 18.4', answer } });
  await expect(hot.connector.connect()).rejects.toThrow('is a standby');
  const other = connectorOn({ a: { version: 'CockroachDB CCL v25.1.0', answer } });
  await other.connector.connect();
});

test('an idle connection is asked again after a fault, and only then', async () => {
  const servers = { a: primary() };
  const { connector, asked } = connectorOn(servers);
  const connection = await connector.connect();
  const before = asked.length;
  expect(await connector.isUsable(connection)).toBe(true);
  expect(asked.length).toBe(before);
  connector.suspect();
  expect(await connector.isUsable(connection)).toBe(true);
  expect(await connector.isUsable(connection)).toBe(true);
  expect(asked.length).toBe(before + 1);
  servers.a = standby();
  connector.suspect();
  expect(await connector.isUsable(connection)).toBe(false);
});

test('once another server was promoted, connections to the one before are not used, old or new', async () => {
  const servers = { a: primary() };
  const { connector } = connectorOn(servers);
  const old = await connector.connect();
  servers.a = primary('00000002');
  const promoted = await connector.connect();
  expect(await connector.isUsable(old)).toBe(false);
  expect(await connector.isUsable(promoted)).toBe(true);
  servers.a = primary();
  await expect(connector.connect()).rejects.toThrow('is a primary of the past');
});

test('a server that refuses by an answer of its own is alive', async () => {
  const full = Object.assign(new Error('too many clients'), { code: '53300', severity: 'FATAL' });
  const starting = Object.assign(new Error('starting up'), { code: '57P03', severity: 'FATAL' });
  expect(await connectorOn({ a: { ...primary(), refuses: full } }).connector.signOfLife()).toMatchObject({
    alive: true,
  });
  expect(await connectorOn({ a: { ...primary(), refuses: starting } }).connector.signOfLife()).toMatchObject({
    alive: false,
  });
});
