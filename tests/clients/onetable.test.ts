// biome-ignore-all lint/suspicious/noTemplateCurlyInString: OneTable has its placeholders in plain strings.
import {
  ConditionalCheckFailedException,
  DescribeTimeToLiveCommand,
  GetItemCommand,
} from '@aws-sdk/client-dynamodb';
import { OneTableArgError, OneTableError, Table } from 'dynamodb-onetable';
import { beforeEach, expect, it } from 'vitest';
import { throughBothDoors } from './application-doors.ts';

/** A subscription service: accounts with their members in one partition, and sessions that expire. */
const schema = {
  format: 'onetable:1.1.0',
  version: '0.0.1',
  indexes: {
    primary: { hash: 'pk', sort: 'sk' },
    gs1: { hash: 'gs1pk', sort: 'gs1sk', follow: true },
  },
  models: {
    Account: {
      pk: { type: String, value: 'account#${id}' },
      sk: { type: String, value: 'account#' },
      id: { type: String, generate: 'ulid', validate: /^[0-9A-Z]{26}$/ },
      name: { type: String, required: true },
      plan: { type: String, enum: ['free', 'paid'], default: 'free', required: true },
      balance: { type: Number, default: 0 },
      version: { type: Number, default: 1 },
      contact: { type: Object, schema: { street: { type: String }, city: { type: String } } },
      notes: { type: Array },
      features: { type: Set },
      renews: { type: Date },
      logo: { type: 'binary' },
    },
    Member: {
      pk: { type: String, value: 'account#${accountId}' },
      sk: { type: String, value: 'member#${email}' },
      gs1pk: { type: String, value: 'member#${email}' },
      gs1sk: { type: String, value: 'account#${accountId}' },
      accountId: { type: String, required: true },
      email: { type: String, required: true, validate: /^\S+@\S+$/ },
      role: { type: String, enum: ['user', 'admin'], default: 'user', required: true },
      // Two properties packed into one short attribute, which the index can then carry.
      first: { type: String, map: 'dt.f', required: true },
      last: { type: String, map: 'dt.l', required: true },
    },
    Session: {
      pk: { type: String, value: 'session#${token}' },
      sk: { type: String, value: 'session#' },
      token: { type: String, required: true },
      expires: { type: Date, ttl: true },
    },
  },
  queries: {},
  params: { isoDates: true, timestamps: true },
} as const;

throughBothDoors('OneTable', [], (door) => {
  const openTable = () =>
    new Table({ client: door.client(), name: 'subscriptions', schema, partial: true, logger: false });
  let table: ReturnType<typeof openTable>;
  beforeEach(async () => {
    table = openTable();
    await table.createTable({ TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true } });
  });

  const models = () => ({
    Account: table.getModel('Account'),
    Member: table.getModel('Member'),
    Session: table.getModel('Session'),
  });
  const id = '01J0000000000000000000ACME';
  const given = {
    id,
    name: 'Acme Co',
    balance: 100,
    contact: { street: 'Main Street 1', city: 'Springfield' },
    notes: ['signed up'],
    features: new Set(['export']),
    renews: new Date('2026-07-01T00:00:00.000Z'),
  };

  /** The library wraps what the service said and keeps it, the SDK's own error included. */
  const refused = (message: string) => ({
    name: 'OneTableError',
    code: 'ConditionalCheckFailedException',
    message: expect.stringContaining(message),
    context: { err: expect.any(ConditionalCheckFailedException) },
  });

  it('creates its table from the schema, with the index and the expiry', async () => {
    expect(await table.exists()).toBe(true);
    expect(await table.describeTable()).toMatchObject({
      Table: {
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [{ IndexName: 'gs1', IndexStatus: 'ACTIVE' }],
      },
    });
    const expiry = new DescribeTimeToLiveCommand({ TableName: 'subscriptions' });
    expect((await door.client().send(expiry)).TimeToLiveDescription).toEqual({
      AttributeName: 'expires',
      TimeToLiveStatus: 'ENABLED',
    });
    await table.deleteTable('DeleteTableForever');
    expect(await table.exists()).toBe(false);
  });

  it('creates an account with defaults, an id and timestamps, and gets it back', async () => {
    const { Account } = models();
    const { id: _, ...rest } = given;
    const created = await Account.create(rest);
    expect(created).toMatchObject({ ...rest, plan: 'free', version: 1 });
    expect(created.id).toMatch(/^[0-9A-Z]{26}$/);
    const found = await Account.get({ id: created.id }, { consistent: true });
    expect(found).toEqual(created);
    expect(found).toMatchObject({ renews: given.renews, created: expect.any(Date) });
    const some = await Account.get({ id: created.id }, { fields: ['name', 'plan'] });
    expect(some).toEqual({ name: 'Acme Co', plan: 'free' });
    expect(await Account.get({ id })).toBeUndefined();
  });

  it('stores prefixes, packed attributes and ISO dates', async () => {
    const { Account, Member } = models();
    await Account.create(given);
    const member = { accountId: id, email: 'ada@acme.example', first: 'Ada', last: 'Lovelace' };
    expect(await Member.create(member)).toMatchObject({ ...member, role: 'user' });
    const stored = async (sk: string) => {
      const Key = { pk: { S: `account#${id}` }, sk: { S: sk } };
      return (await door.client().send(new GetItemCommand({ TableName: 'subscriptions', Key }))).Item;
    };
    expect(await stored('account#')).toMatchObject({
      _type: { S: 'Account' },
      renews: { S: '2026-07-01T00:00:00.000Z' },
      features: { SS: ['export'] },
      contact: { M: { street: { S: 'Main Street 1' }, city: { S: 'Springfield' } } },
    });
    expect(await stored('member#ada@acme.example')).toMatchObject({
      dt: { M: { f: { S: 'Ada' }, l: { S: 'Lovelace' } } },
      gs1pk: { S: 'member#ada@acme.example' },
      gs1sk: { S: `account#${id}` },
    });
    expect(await Member.get({ accountId: id, email: member.email })).toMatchObject(member);
  });

  it('refuses to create twice, and says so as users catch it', async () => {
    const { Account } = models();
    await Account.create(given);
    const again = Account.create({ ...given, name: 'Other' }, { log: false });
    await expect(again).rejects.toBeInstanceOf(OneTableError);
    await expect(again).rejects.toMatchObject(refused('Conditional create failed for "Account"'));
    expect(await Account.get({ id })).toMatchObject({ name: 'Acme Co' });
    await Account.create({ ...given, name: 'Other' }, { exists: null });
    expect(await Account.get({ id })).toMatchObject({ name: 'Other' });
  });

  it('adds to numbers and sets, appends to lists, and changes nested values', async () => {
    const { Account } = models();
    await Account.create(given);
    const first = await Account.update(
      { id, contact: { city: 'Shelbyville' } },
      { add: { balance: 10.5, features: new Set(['api']) }, push: { notes: ['upgraded', 'called'] } },
    );
    expect(first).toMatchObject({
      balance: 110.5,
      features: new Set(['api', 'export']),
      notes: ['signed up', 'upgraded', 'called'],
      contact: { street: 'Main Street 1', city: 'Shelbyville' },
    });
    const second = await Account.update(
      { id },
      {
        set: { balance: '${balance} - {0.5}', 'notes[0]': 'joined' },
        delete: { features: new Set(['export']) },
        remove: ['renews', 'contact.street'],
      },
    );
    expect(second).toMatchObject({
      balance: 110,
      notes: ['joined', 'upgraded', 'called'],
      features: new Set(['api']),
      contact: { city: 'Shelbyville' },
    });
    expect(second).not.toHaveProperty('renews');
    expect(second.contact).not.toHaveProperty('street');
    // Null takes an attribute away, as everywhere in this library.
    await Account.update({ id, notes: null });
    expect(await Account.get({ id })).not.toHaveProperty('notes');
  });

  it('updates only what is there, and upserts what is not', async () => {
    const { Account } = models();
    const missing = Account.update({ id, name: 'Nobody' }, { log: false });
    await expect(missing).rejects.toMatchObject(refused('The conditional request failed'));
    const created = await Account.upsert({ id, name: 'Acme Co', plan: 'free' });
    expect(created).toMatchObject({ id, name: 'Acme Co', created: expect.any(Date) });
    const again = await Account.upsert({ id, name: 'Acme Inc' });
    expect(again).toMatchObject({ name: 'Acme Inc', created: (created as { created?: Date }).created });
  });

  it('changes only the version that was read', async () => {
    const { Account } = models();
    await Account.create(given);
    const upgrade = (version: number) =>
      Account.update(
        { id, plan: 'paid' },
        {
          add: { version: 1 },
          where: '${version} = @{version} AND (${balance} >= {100} OR contains(${features}, {vip}))',
          substitutions: { version },
          log: false,
        },
      );
    expect(await upgrade(1)).toMatchObject({ plan: 'paid', version: 2 });
    await expect(upgrade(1)).rejects.toMatchObject(refused('The conditional request failed'));
    await expect(upgrade(1)).rejects.toBeInstanceOf(OneTableError);
    expect(await Account.get({ id })).toMatchObject({ plan: 'paid', version: 2 });
  });

  it('removes what may be gone, and with conditions only what fits them', async () => {
    const { Account } = models();
    await Account.remove({ id });
    const strict = Account.remove({ id }, { exists: true, log: false });
    await expect(strict).rejects.toMatchObject(refused('The conditional request failed'));
    await Account.create(given);
    const onlyPaid = Account.remove(
      { id },
      { where: '${plan} IN (@{...plans})', substitutions: { plans: ['paid'] }, log: false },
    );
    await expect(onlyPaid).rejects.toMatchObject(refused('The conditional request failed'));
    const removed = await Account.remove({ id }, { exists: true, return: 'ALL_OLD' });
    expect(removed).toMatchObject({ name: 'Acme Co' });
    expect(await Account.get({ id })).toBeUndefined();
  });

  it('writes and reads several models in one batch', async () => {
    const { Account, Member, Session } = models();
    await Session.create({ token: 't1' });
    const write = {};
    await Account.create(given, { batch: write });
    for (const first of ['Ada', 'Grace']) {
      const email = `${first}@acme.example`;
      await Member.create({ accountId: id, email, first, last: 'Unknown' }, { batch: write });
    }
    await Session.remove({ token: 't1' }, { batch: write });
    await table.batchWrite(write);
    const read = {};
    await Account.get({ id }, { batch: read });
    for (const first of ['Ada', 'Grace', 'Nobody']) {
      await Member.get({ accountId: id, email: `${first}@acme.example` }, { batch: read });
    }
    await Session.get({ token: 't1' }, { batch: read });
    const found = await table.batchGet(read, { parse: true, hidden: false, consistent: true });
    expect(found).toHaveLength(3);
    expect(found).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id, name: 'Acme Co' }),
        expect.objectContaining({ first: 'Ada', role: 'user' }),
        expect.objectContaining({ first: 'Grace', role: 'user' }),
      ]),
    );
  });

  it('finds by prefix, by index and by filter, page by page, and removes many', async () => {
    const { Account, Member } = models();
    await Account.create(given);
    for (const first of ['Ada', 'Barbara', 'Edsger', 'Grace']) {
      const role = first === 'Grace' ? 'admin' : 'user';
      await Member.create({ accountId: id, email: `${first}@acme.example`, first, last: 'Unknown', role });
    }
    const names = (members: readonly { first?: string | undefined }[]) => members.map(({ first }) => first);
    const all = await Member.find({ accountId: id });
    expect(names(all)).toEqual(['Ada', 'Barbara', 'Edsger', 'Grace']);
    const newest = await Member.find({ accountId: id }, { reverse: true, limit: 3 });
    expect(names(newest)).toEqual(['Grace', 'Edsger', 'Barbara']);
    expect(
      names(await Member.find({ accountId: id }, { reverse: true, limit: 3, next: newest.next! })),
    ).toEqual(['Ada']);
    const some = await Member.find({ accountId: id, sk: { begins: 'member#B' } });
    expect(names(some)).toEqual(['Barbara']);
    expect(names(await Member.find({ accountId: id, role: 'admin' }))).toEqual(['Grace']);
    const counted = await Member.find({ accountId: id }, { where: '${role} = {user}', count: true });
    expect(counted.count).toBe(3);
    const found = await Member.get({ email: 'Ada@acme.example' }, { index: 'gs1' });
    expect(found).toMatchObject({ accountId: id, first: 'Ada' });

    const everything = await table.queryItems({ pk: `account#${id}` }, { parse: true, hidden: true });
    expect(Object.keys(table.groupByType(everything)).sort()).toEqual(['Account', 'Member']);
    expect(names(await Member.scan({ role: 'user' })).sort()).toEqual(['Ada', 'Barbara', 'Edsger']);

    await Member.remove({ accountId: id }, { many: true });
    expect(await Member.find({ accountId: id })).toHaveLength(0);
    expect(await Account.get({ id })).toMatchObject({ name: 'Acme Co' });
  });

  it('keeps sessions with the second at which they expire', async () => {
    const { Session } = models();
    const expires = new Date('2126-06-02T00:00:00.000Z');
    await Session.create({ token: 't1', expires });
    expect(await Session.get({ token: 't1' })).toMatchObject({ token: 't1', expires });
    const Key = { pk: { S: 'session#t1' }, sk: { S: 'session#' } };
    const { Item } = await door.client().send(new GetItemCommand({ TableName: 'subscriptions', Key }));
    expect(Item?.expires).toEqual({ N: '4936032000' });
  });

  it('keeps bytes', async () => {
    const { Account } = models();
    const logo = Buffer.from([0, 1, 254, 255]);
    await table.create('Account', { ...given, logo });
    expect((await Account.get({ id })) as object).toMatchObject({ logo });
  });

  it('keeps its schema in the table', async () => {
    await table.saveSchema();
    const saved = await table.readSchema();
    expect(saved).toMatchObject({ version: '0.0.1', indexes: schema.indexes });
    expect(Object.keys(saved.models)).toEqual(expect.arrayContaining(['Account', 'Member', 'Session']));
  });

  it('refuses in the application what the schema does not allow', async () => {
    const { Member } = models();
    const invalid = Member.create({ accountId: id, email: 'nowhere', first: 'No', last: 'One' });
    await expect(invalid).rejects.toBeInstanceOf(OneTableError);
    await expect(invalid).rejects.toMatchObject({ code: 'ValidationError' });
    await expect(table.deleteTable('yes')).rejects.toBeInstanceOf(OneTableArgError);
  });
});
