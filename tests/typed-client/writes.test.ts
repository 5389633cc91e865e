import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import cases from '../../examples/models/cases/model.ts';
import feed from '../../examples/models/feed/model.ts';
import saas from '../../examples/models/saas/model.ts';
import { CommandMismatchError, client, InvariantError, UnprocessedError } from '../../src/client/index.ts';
import { createTableRequests } from '../../src/design/create-table.ts';
import {
  add,
  change,
  count,
  create,
  derive,
  entity,
  get,
  hot,
  id,
  type Model,
  map,
  model,
  number,
  optional,
  text,
  write,
} from '../../src/design/index.ts';
import { Stator } from '../../src/index.ts';

const at = '2026-06-01T00:00:00.000Z';

async function tablesOf(model: Model): Promise<Stator> {
  const db = Stator.inMemory({ physics: 'off', seed: 1, observe: true });
  for (const request of createTableRequests(model, derive(model))) await db.createTable(request as never);
  return db;
}

async function kindsOf(write: Promise<unknown>): Promise<string[]> {
  const error = await write.then(
    () => undefined,
    (one: unknown) => one,
  );
  if (!(error instanceof InvariantError)) throw error ?? new Error('the write was not refused');
  return error.invariants.map(({ kind, entity }) => `${kind} ${entity}`);
}

describe('writes of the typed client', () => {
  it('guard unique values and creation once, and name the broken one', async () => {
    await using db = await tablesOf(saas);
    const { patterns, entities } = client(saas, { client: db.client() });
    const user = { userId: 'u1', name: 'N', email: 'a@b.example', avatar: 'x' };
    expect(await patterns.signUp(user)).toEqual({ replayed: false });
    expect(await patterns.P3({ email: user.email })).toEqual({ userId: 'u1', name: 'N', email: user.email });
    expect(await kindsOf(patterns.signUp({ ...user, userId: 'u2' }))).toEqual(['unique User']);
    expect(await kindsOf(patterns.signUp({ ...user, email: 'c@d.example' }))).toEqual(['absent User']);
    await expect(patterns.signUp({ ...user, userId: 'u2' })).rejects.toThrow(
      'signUp: "email" of User must be unique, and another has "a@b.example"',
    );
    // A changed address frees the old one.
    await entities.User.update({ userId: 'u1' }, { email: 'new@b.example' });
    await patterns.signUp({ ...user, userId: 'u2' });
    await entities.User.delete({ userId: 'u2' });
    await patterns.signUp({ ...user, userId: 'u3' });
    expect(await entities.User.get({ userId: 'u2' })).toBeUndefined();
    expect(await kindsOf(entities.User.update({ userId: 'u2' }, { name: 'X' }))).toEqual(['exists User']);
    await expect(entities.User.putMany([user])).rejects.toThrow('which a batch cannot guard');
  });

  it('compare versions and states, and answer a repeated command from its record', async () => {
    await using db = await tablesOf(cases);
    const { patterns } = client(cases, { client: db.client(), now: () => 1.8e12 });
    const file = { caseId: 'c1', tenantId: 't', createdAt: at, priority: 'HIGH', summary: 's' } as const;
    const first = await patterns.openCase(file, { command: 'k1', result: { caseId: 'c1' } });
    expect(first).toEqual({ replayed: false, result: { caseId: 'c1' } });
    const again = await patterns.openCase(file, { command: 'k1', result: { caseId: 'other' } });
    expect(again).toEqual({ replayed: true, result: { caseId: 'c1' } });
    await expect(patterns.openCase({ ...file, summary: 'x' }, { command: 'k1' })).rejects.toThrow(
      CommandMismatchError,
    );
    const turned = Object.fromEntries(Object.entries(file).reverse()) as typeof file;
    expect(await patterns.openCase(turned, { command: 'k1' })).toEqual(again);
    // @ts-expect-error the compiler asks for it too
    await expect(patterns.openCase(file)).rejects.toThrow('it needs the "commandId" of the command');
    const step = { caseId: 'c1', eventId: 'e1', at, from: 'OPEN', to: 'X', byOfficer: 'o', reason: 'r' };
    const review = (version: number, command: string, eventId = 'e1') =>
      patterns.review({ Case: { caseId: 'c1', version }, Transition: { ...step, eventId } }, { command });
    expect(await kindsOf(review(7, 'k2'))).toEqual(['version Case']);
    await review(1, 'k2');
    expect(await kindsOf(review(2, 'k3', 'e2'))).toEqual(['condition Case']);
    expect(await kindsOf(review(1, 'k3'))).toEqual(['condition Case', 'version Case', 'absent Transition']);
    expect(await patterns.P1({ caseId: 'c1' })).toMatchObject({ status: 'UNDER_REVIEW', version: 2 });
    const timeline = await patterns.P3({ caseId: 'c1' }).all();
    expect(timeline.map((one) => one.entity)).toEqual(['Transition']);
  });

  it('spread counters and page through shards in order', async () => {
    await using db = await tablesOf(feed);
    const { patterns, entities } = client(feed, { client: db.client() });
    const likes = Array.from({ length: 40 }, (_, n) => ({
      postId: 'p',
      likerId: `u${String(n).padStart(2, '0')}`,
      at: new Date(1.7e12 + ((n * 7) % 40) * 1_000).toISOString(),
      kind: 'LIKE' as const,
      expires: 1_900_000_000,
    }));
    await Promise.all(likes.map((Like) => patterns.like({ Like, Post: { postId: 'p' } })));
    expect(await entities.Post.counter('likes', { postId: 'p' })).toBe(40);
    expect(await kindsOf(patterns.like({ Like: likes[0]!, Post: { postId: 'p' } }))).toEqual(['absent Like']);
    const pages = patterns.likesOfPost({ postId: 'p' }, { limit: 7 });
    const { items, cursor } = await pages.page();
    expect(items).toHaveLength(7);
    expect((await pages.page(cursor)).items).toHaveLength(7);
    const newestFirst = likes
      .map((one) => one.at)
      .sort()
      .reverse();
    expect((await pages.all()).map((one) => one.at)).toEqual(newestFirst);
    await expect(patterns.likesOfPost({ postId: 'q' }).page(cursor)).rejects.toThrow('of other values');
    const report = JSON.stringify(await db.patterns({ minutes: 5 }));
    for (const label of ['like', 'likesOfPost', 'Post.counter']) expect(report).toContain(`"${label}"`);
  });

  it('keep guards right when somebody else writes between reading and writing', async () => {
    await using db = await tablesOf(people);
    const sdk = db.client();
    const { entities } = client(people, { client: sdk });
    let meanwhile: (() => Promise<unknown>) | undefined;
    const slow = client(people, {
      client: interrupted(sdk, async () => {
        const run = meanwhile;
        meanwhile = undefined;
        await run?.();
      }),
      wait: async () => {},
    });
    const user = { userId: 'u1', email: 'a', name: 'N', rev: 1 };
    const guards = async () =>
      (await db.scan({ TableName: 'people' })).Items!.flatMap(({ PK, userId }) =>
        PK!.S!.startsWith('UNIQUE') ? [`${PK!.S} ${userId!.S}`] : [],
      );
    await entities.User.create(user);
    meanwhile = () => entities.User.update({ userId: 'u1' }, { email: 'b' });
    await slow.entities.User.put({ ...user, email: 'c' });
    expect(await guards()).toEqual(['UNIQUE.USER.email#c u1']);
    meanwhile = () => entities.User.delete({ userId: 'u1' });
    await slow.entities.User.put({ ...user, email: 'c' });
    expect(await guards()).toEqual(['UNIQUE.USER.email#c u1']);
    // The freed value is another's by now.
    meanwhile = async () => {
      await entities.User.update({ userId: 'u1' }, { email: 'd' });
      await entities.User.create({ ...user, userId: 'u2', email: 'c' });
    };
    await slow.entities.User.delete({ userId: 'u1' });
    expect(await guards()).toEqual(['UNIQUE.USER.email#c u2']);
    meanwhile = () => entities.User.create({ ...user, userId: 'u3', email: 'x' });
    await slow.entities.User.put({ ...user, userId: 'u3', email: 'y' });
    meanwhile = () => entities.User.create({ ...user, userId: 'u4', email: 'z' });
    await slow.entities.User.delete({ userId: 'u4' });
    expect((await guards()).sort()).toEqual(['UNIQUE.USER.email#c u2', 'UNIQUE.USER.email#y u3']);
    // Ten at a time, on three values.
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) =>
        entities.User.create({ ...user, userId: `w${n}`, email: `w${n % 3}` }),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect((await guards()).filter((one) => one.includes('#w'))).toHaveLength(3);
  });

  it('repeat a single write that met a transaction', async () => {
    await using db = await tablesOf(people);
    const sdk = db.client();
    let conflicts = 3;
    const conflict = Object.assign(new Error('conflict'), { name: 'TransactionConflictException' });
    const { entities, patterns } = client(people, {
      client: interrupted(sdk, async () => {
        if (conflicts-- > 0) throw conflict;
      }),
      wait: async () => {},
    });
    await entities.User.create({ userId: 'u1', email: 'a', name: 'N', rev: 1 });
    conflicts = 5;
    await patterns.rename({ userId: 'u1', name: 'M' });
    conflicts = 6;
    await expect(patterns.rename({ userId: 'u1', name: 'L' })).rejects.toBe(conflict);
  });

  it('count versions up, add to numbers that are not there, and spread equal calls', async () => {
    await using db = await tablesOf(people);
    const { entities, patterns } = client(people, { client: db.client() });
    const user = { userId: 'u1', email: 'a', name: 'N', rev: 1 };
    await entities.User.create(user);
    await patterns.rename({ userId: 'u1', name: 'M' });
    await entities.User.update({ userId: 'u1' }, { score: { add: 2 } });
    await patterns.score({ userId: 'u1' });
    expect(await entities.User.get({ userId: 'u1' })).toEqual({ ...user, name: 'M', rev: 3, score: 3 });
    expect(await kindsOf(entities.User.update({ userId: 'u1' }, { name: 'O' }, { version: 1 }))).toEqual([
      'version User',
    ]);
    for (let call = 0; call < 30; call++) await patterns.visit({ userId: 'u1' });
    expect(await entities.User.counter('visits', { userId: 'u1' })).toBe(30);
    const { Items } = await db.scan({ TableName: 'people' });
    expect(Items!.filter(({ PK }) => PK!.S!.startsWith('COUNTER')).length).toBeGreaterThan(1);
  });

  it('store documents and numbers as they are, or refuse them', async () => {
    await using db = await tablesOf(people);
    const { entities } = client(people, { client: db.client() });
    const user = { userId: 'u1', email: 'a', name: 'N', rev: 1 };
    const put = (notes: unknown) => entities.User.put({ ...user, notes: notes as never });
    const all = [1e-30, 1.2345678e-15, 1e21, 0.1 + 0.2, -2.5e-7];
    const notes = {
      all,
      sets: [new Set(['a']), new Set([1, 2]), new Set([new Uint8Array([1])])],
      no: undefined,
    };
    await put(notes);
    const { no: _, ...stored } = notes;
    expect((await entities.User.get({ userId: 'u1' }))?.notes).toEqual(stored);
    for (const wrong of [
      { at: new Date(0) },
      new Map([['a', 1]]),
      { n: 10n },
      { n: Number.NaN },
      { s: new Set() },
    ])
      await expect(put(wrong)).rejects.toThrow(/User.put: .*"notes" must/);
  });

  it('repeat what a batch left unprocessed, and give up loudly', async () => {
    await using db = await tablesOf(saas);
    const waits: number[] = [];
    const sdk = db.client();
    const { entities } = client(saas, {
      client: leavingUndone(sdk, () => waits.length < 3),
      wait: async (ms) => void waits.push(ms),
    });
    const members = Array.from({ length: 60 }, (_, n) => ({
      tenantId: 't',
      userId: `u${n}`,
      joinedAt: at,
      role: 'MEMBER' as const,
    }));
    await entities.Membership.putMany(members);
    expect(waits).toHaveLength(3);
    waits.length = 0;
    const keys = [...members, { tenantId: 't', userId: 'nobody' }, members[0]!];
    const found = await entities.Membership.getMany(keys);
    expect(found).toEqual([...members, undefined, members[0]]);
    expect(waits).toHaveLength(3);
    const never = client(saas, { client: leavingUndone(sdk, () => true), wait: async () => {} });
    const failed = never.entities.Membership.putMany(members);
    await expect(failed).rejects.toThrow(UnprocessedError);
    // 10 of the 25 were written, one at a time, and 35 wait behind them.
    await expect(failed).rejects.toMatchObject({ unprocessed: 50 });
  });

  it('read items of older schema versions as those of today', async () => {
    const person = (schemaVersion: number) =>
      entity('Person', {
        identity: { personId: id() },
        changing: { name: text(10), family: text(10) },
        schemaVersion,
        population: count(1),
      });
    const of = (version: number) => {
      const one = person(version);
      return model('people', {
        entities: [one],
        reads: { byId: get(one, { does: '', by: 'personId', peak: 1 }) },
        writes: {
          marry: write({
            does: '',
            steps: [change(one, { given: 'personId', sets: ['family'], when: { family: 'L' } })],
            peak: 1,
          }),
        },
      });
    };
    await using db = await tablesOf(of(1));
    const sdk = db.client();
    await client(of(1), { client: sdk }).entities.Person.put({ personId: 'p', name: 'Ada L', family: '?' });
    const { patterns, entities } = client(of(2), {
      client: sdk,
      upgrade: {
        Person: (old, schemaVersion) => {
          expect(schemaVersion).toBe(1);
          const [name, family] = String(old.name).split(' ');
          return { personId: String(old.personId), name: name!, family: family! };
        },
      },
    });
    expect(await patterns.byId({ personId: 'p' })).toEqual({ personId: 'p', name: 'Ada', family: 'L' });
    await entities.Person.put({ personId: 'p', name: 'B', family: 'C' });
    expect(await entities.Person.get({ personId: 'p' })).toEqual({ personId: 'p', name: 'B', family: 'C' });
    // A change of an older item is a change of what the program sees of it.
    const before = client(of(1), { client: sdk }).entities.Person;
    await before.put({ personId: 'p', name: 'Ada L', family: '?' });
    await entities.Person.update({ personId: 'p' }, { name: 'Eve' });
    expect(await patterns.byId({ personId: 'p' })).toEqual({ personId: 'p', name: 'Eve', family: 'L' });
    await before.put({ personId: 'p', name: 'Ada L', family: '?' });
    await patterns.marry({ personId: 'p', family: 'M' });
    expect(await patterns.byId({ personId: 'p' })).toEqual({ personId: 'p', name: 'Ada', family: 'M' });
    await before.put({ personId: 'p', name: 'Ada X', family: '?' });
    expect(await kindsOf(patterns.marry({ personId: 'p', family: 'M' }))).toEqual(['condition Person']);
    expect(await kindsOf(entities.Person.update({ personId: 'q' }, { name: 'Q' }))).toEqual([
      'exists Person',
    ]);
  });
});

const user = entity('User', {
  identity: { userId: id(8) },
  changing: {
    email: text(20),
    name: text(10),
    rev: number(6),
    score: optional(number(5)),
    visits: optional(number(9)),
    notes: optional(map(50)),
  },
  version: 'rev',
  population: count(100),
});

const people = model('people', {
  entities: [user],
  reads: { byId: get(user, { does: '', by: 'userId', peak: 1 }) },
  writes: {
    signUp: write({ does: '', steps: [create(user, { unique: 'email' })], peak: 1 }),
    rename: write({ does: '', steps: [change(user, { given: 'userId', sets: ['name'] })], peak: 1 }),
    score: write({ does: '', steps: [add(user, { given: 'userId', to: 'score' })], peak: 1 }),
    visit: write({
      does: '',
      steps: [add(user, { given: 'userId', to: 'visits', spread: 'shards' })],
      peak: 5_000,
      skew: { userId: hot(1, 0.9) },
    }),
  },
});

/** A client that does something before each request that writes. */
function interrupted(sdk: DynamoDBClient, before: () => Promise<void>) {
  return {
    middlewareStack: sdk.middlewareStack as never,
    async send(command: never): Promise<unknown> {
      const isRead = (command as { constructor: { name: string } }).constructor.name.startsWith('Get');
      if (!isRead) await before();
      return sdk.send(command);
    },
  };
}

/** A client whose batches leave everything but the first item undone as long as the switch is on. */
function leavingUndone(sdk: DynamoDBClient, isOn: () => boolean) {
  type Batch = { input: { RequestItems?: Record<string, { Keys?: unknown[] } | unknown[]> } };
  return {
    middlewareStack: sdk.middlewareStack as never,
    async send(command: never): Promise<unknown> {
      const { RequestItems } = (command as Batch).input;
      if (RequestItems === undefined || !isOn()) return sdk.send(command);
      const [[table, asked]] = Object.entries(RequestItems) as [[string, { Keys?: unknown[] } | unknown[]]];
      const Command = (command as { constructor: new (input: object) => never }).constructor;
      const some = Array.isArray(asked) ? asked.slice(0, 1) : { ...asked, Keys: asked.Keys!.slice(0, 1) };
      const left = Array.isArray(asked) ? asked.slice(1) : { ...asked, Keys: asked.Keys!.slice(1) };
      const answer = await sdk.send(new Command({ RequestItems: { [table]: some } }));
      const isEmpty = Array.isArray(left) ? left.length === 0 : left.Keys.length === 0;
      const undone = isEmpty ? {} : { [table]: left };
      return { ...(answer as object), UnprocessedItems: undone, UnprocessedKeys: undone };
    },
  };
}
