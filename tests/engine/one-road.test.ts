import { describe, expect, it } from 'vitest';
import { Engine, type EngineOptions } from '../../src/engine/engine.ts';
import type { Observer, RequestEvent } from '../../src/engine/events.ts';
import type { Admission } from '../../src/engine/gates.ts';
import { processCaller } from '../../src/engine/process-caller.ts';
import { IndexThrottle, type Touch } from '../../src/engine/road.ts';
import { newHash16 } from '../../src/hash16.ts';
import { type AttributeMapInput, Stator, VirtualClock } from '../../src/index.ts';
import { DynamoError } from '../../src/model/errors.ts';
import allOperations from '../../src/operations/all-operations.ts';
import { type Caller, type NamedHandler, RawJson } from '../../src/operations/operation.ts';
import { realRuntime } from '../../src/runtime/machine/runtime-of.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Unit } from '../../src/storage/store.ts';
import { bodyBytes } from '../../src/wire/reply-body.ts';

/** One road for every request: what it touches, what is refused on it, what it is charged, and what is told of it. */

const operations = new Map<string, NamedHandler>(
  Object.values(allOperations).flatMap((api) => Object.values(api).map((each) => [each.name, each])),
);

const caller: Caller = {
  ...processCaller({
    ...{ accountId: '000000000000', region: 'us-east-1', accessKeyId: 'test' },
    ...{ requestId: 'request', authorize: undefined },
  }),
  header: (name) => (name === 'x-stator-pattern' ? 'a pattern' : undefined),
};

const half = { seed: 0, generation: 0, random: { next: () => 0.5 }, words: () => 0 };
const oneRuntime = realRuntime(new VirtualClock(1_790_000_000_000), half);

function newEngine(options: Partial<EngineOptions> = {}): Engine {
  return new Engine({
    store: new MemoryStore(),
    runtime: oneRuntime,
    h16: newHash16(),
    physics: 'shadow',
    log: () => {},
    ...options,
  });
}

async function ask(engine: Engine, name: string, body: object): Promise<Record<string, unknown>> {
  const operation = operations.get(name)!;
  const answer = await operation.handle(engine, body, caller);
  if (answer instanceof DynamoError)
    return { error: answer.name, ...(answer.fields && { fields: answer.fields }) };
  if (!(answer instanceof RawJson)) return JSON.parse(JSON.stringify(answer));
  return JSON.parse(Buffer.from(bodyBytes(answer.chunks)).toString());
}

async function withTable(engine: Engine): Promise<Engine> {
  await ask(engine, 'CreateTable', {
    TableName: 'things',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'sk', 'g'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-g',
        KeySchema: [{ AttributeName: 'g', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  });
  return engine;
}

const item = (pk: string, sk = '1', more: object = {}) => ({ pk: { S: pk }, sk: { S: sk }, ...more });
const throttled = () => new DynamoError('ThrottlingException', 'planted');

/** Refuses the touches of some partition keys, and keeps what was charged. */
function planted(refuses: (touch: Touch) => boolean) {
  const charged: string[] = [];
  const admission: Admission = {
    admit(touches) {
      const refused = touches.map((touch) => (refuses(touch) ? throttled() : undefined));
      return refused.some((error) => error !== undefined) ? { refused, shadowed: undefined } : undefined;
    },
    charge(charges) {
      for (const { table, access, consumed } of charges) {
        const arms = consumed.indexes.map(({ name, units }) => `${name} ${units}`);
        charged.push([`${access} ${table.name} ${consumed.table}`, ...arms].join(', '));
      }
    },
    indexRefusal: () => undefined,
  };
  return { admission, charged };
}

const refusesHot = ({ attributes }: Touch) =>
  (attributes?.get('pk') as { S: string } | undefined)?.S === 'hot';

describe('a planted refusal', () => {
  it('is an exception of a request for one thing', async () => {
    const engine = await withTable(newEngine(planted(refusesHot)));
    const [TableName, Key] = ['things', item('hot')];
    expect(await ask(engine, 'PutItem', { TableName, Item: Key })).toEqual({ error: 'ThrottlingException' });
    expect(await ask(engine, 'GetItem', { TableName, Key })).toEqual({ error: 'ThrottlingException' });
    expect(await ask(engine, 'DeleteItem', { TableName, Key })).toEqual({ error: 'ThrottlingException' });
    expect(
      await ask(engine, 'Query', {
        TableName,
        KeyConditionExpression: 'pk = :p',
        ExpressionAttributeValues: { ':p': { S: 'hot' } },
      }),
    ).toEqual({ error: 'ThrottlingException' });
    expect(
      await ask(engine, 'ExecuteStatement', { Statement: `SELECT * FROM things WHERE pk = 'hot'` }),
    ).toEqual({ error: 'ThrottlingException' });
    expect(await ask(engine, 'PutItem', { TableName, Item: item('cold') })).toEqual({});
  });

  it('leaves the entries of a batch unprocessed', async () => {
    const engine = await withTable(newEngine(planted(refusesHot)));
    const puts = (...names: string[]) => ({
      things: names.map((pk) => ({ PutRequest: { Item: item(pk) } })),
    });
    expect(await ask(engine, 'BatchWriteItem', { RequestItems: puts('a', 'hot', 'b') })).toEqual({
      UnprocessedItems: puts('hot'),
    });
    expect(
      await ask(engine, 'BatchGetItem', { RequestItems: { things: { Keys: [item('hot'), item('a')] } } }),
    ).toEqual({
      Responses: { things: [item('a')] },
      UnprocessedKeys: { things: { Keys: [item('hot')] } },
    });
    expect(await ask(engine, 'BatchWriteItem', { RequestItems: puts('hot') })).toEqual({
      error: 'ThrottlingException',
    });
    expect(await ask(engine, 'BatchGetItem', { RequestItems: { things: { Keys: [item('hot')] } } })).toEqual({
      error: 'ThrottlingException',
    });
  });

  it('is the error of a statement in a batch', async () => {
    const engine = await withTable(newEngine(planted(refusesHot)));
    const insert = (pk: string) => ({ Statement: `INSERT INTO things VALUE {'pk': '${pk}', 'sk': '1'}` });
    const broken = { Statement: 'SELECT' };
    const { Responses } = (await ask(engine, 'BatchExecuteStatement', {
      Statements: [broken, insert('hot'), insert('a')],
    })) as { Responses: { Error?: { Code: string } }[] };
    expect(Responses.map((response) => response.Error?.Code)).toEqual([
      'ValidationError',
      'ThrottlingError',
      undefined,
    ]);
  });

  it('is a reason for which a transaction is cancelled', async () => {
    const engine = await withTable(newEngine(planted(refusesHot)));
    const put = (pk: string) => ({ Put: { TableName: 'things', Item: item(pk) } });
    const get = (pk: string) => ({ Get: { TableName: 'things', Key: item(pk) } });
    const reasons = [{ Code: 'None' }, { Code: 'ThrottlingError', Message: 'planted' }];
    const cancelled = { error: 'TransactionCanceledException', fields: { CancellationReasons: reasons } };
    expect(await ask(engine, 'TransactWriteItems', { TransactItems: [put('a'), put('hot')] })).toEqual(
      cancelled,
    );
    expect(await ask(engine, 'TransactGetItems', { TransactItems: [get('a'), get('hot')] })).toEqual(
      cancelled,
    );
    expect(await ask(engine, 'GetItem', { TableName: 'things', Key: item('a') })).toEqual({});
  });

  it('of an index is decided with the write, which then changes nothing', async () => {
    const { admission, charged } = planted(() => false);
    const seen: string[] = [];
    const indexRefusal: Admission['indexRefusal'] = (table, index, key) => {
      seen.push(index.schema.name);
      return new IndexThrottle(throttled(), table, index, key);
    };
    const engine = await withTable(newEngine({ admission: { ...admission, indexRefusal } }));
    const Item = item('a', '1', { g: { S: 'x' } });
    expect(await ask(engine, 'PutItem', { TableName: 'things', Item })).toEqual({
      error: 'ThrottlingException',
    });
    expect(seen).toEqual(['by-g']);
    expect(charged).toEqual([]);
    expect(await ask(engine, 'PutItem', { TableName: 'things', Item: item('a') })).toEqual({});
    expect(
      await ask(engine, 'TransactWriteItems', { TransactItems: [{ Put: { TableName: 'things', Item } }] }),
    ).toMatchObject({ error: 'TransactionCanceledException' });
    expect(
      await ask(engine, 'BatchWriteItem', { RequestItems: { things: [{ PutRequest: { Item } }] } }),
    ).toEqual({
      error: 'ThrottlingException',
    });
  });
});

describe('what is consumed', () => {
  const charges = async (name: string, body: object, before: readonly object[] = []) => {
    const { admission, charged } = planted(() => false);
    const engine = await withTable(newEngine({ admission }));
    for (const Item of before) await ask(engine, 'PutItem', { TableName: 'things', Item });
    charged.length = 0;
    await ask(engine, name, { TableName: 'things', ...body });
    return charged;
  };
  const large = { filler: { S: 'x'.repeat(5_000) } };

  it.each<[string, object, readonly object[], readonly string[]]>([
    ['PutItem', { Item: item('a', '1', { g: { S: 'x' } }) }, [], ['write things 1, by-g 1']],
    ['PutItem', { Item: item('a', '1', large) }, [], ['write things 5']],
    ['GetItem', { Key: item('a') }, [], ['read things 0.5']],
    ['GetItem', { Key: item('a'), ConsistentRead: true }, [item('a', '1', large)], ['read things 2']],
    ['DeleteItem', { Key: item('a') }, [item('a', '1', large)], ['write things 5']],
    // A condition that fails costs the larger of the two items.
    [
      'PutItem',
      { Item: item('a'), ConditionExpression: 'attribute_not_exists(pk)' },
      [item('a', '1', large)],
      ['write things 5'],
    ],
    [
      'PutItem',
      { Item: item('a', '1', large), ConditionExpression: 'attribute_exists(pk)' },
      [],
      ['write things 5'],
    ],
    ['UpdateItem', { Key: item('a'), ConditionExpression: 'attribute_exists(pk)' }, [], ['write things 1']],
    ['Scan', {}, [item('a')], ['read things 2']],
    ['Scan', { IndexName: 'by-g' }, [], ['read things 0, by-g 2']],
  ])('%s %j costs the same whether or not anybody asked', async (name, body, before, expected) => {
    expect(await charges(name, body, before)).toEqual(expected);
  });

  it('is charged for every action of a cancelled transaction', async () => {
    const { admission, charged } = planted(() => false);
    const engine = await withTable(newEngine({ admission }));
    await ask(engine, 'TransactWriteItems', {
      TransactItems: [
        { Put: { TableName: 'things', Item: item('a', '1', large) } },
        {
          ConditionCheck: {
            TableName: 'things',
            Key: item('b'),
            ConditionExpression: 'attribute_exists(pk)',
          },
        },
      ],
    });
    expect(charged).toEqual(['write things 10', 'write things 2']);
  });

  it('has positions: the key of an item, the first and the last of a page', async () => {
    const events: RequestEvent[] = [];
    const engine = await withTable(newEngine({ observer: { request: (event) => events.push(event) } }));
    for (const sk of ['1', '2', '3', '4'])
      await ask(engine, 'PutItem', { TableName: 'things', Item: item('a', sk) });
    const keys = events.slice(1).map(({ charges }) => charges[0]!.consumed.first);
    const query = (more: object) => ({
      TableName: 'things',
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': { S: 'a' } },
      ...more,
    });
    await ask(engine, 'Query', query({ Limit: 3 }));
    await ask(engine, 'Query', query({ Limit: 3, ScanIndexForward: false }));
    await ask(engine, 'Query', query({ ExclusiveStartKey: item('a', '4') }));
    const spans = events
      .slice(5)
      .map(({ charges: [charge] }) => [charge!.consumed.first, charge!.consumed.last]);
    expect(spans).toEqual([
      [keys[0], keys[2]],
      [keys[3], keys[1]],
      [keys[3], keys[3]],
    ]);
  });

  it('is charged once, however often a unit is decided and a plan is made', async () => {
    const { admission, charged } = planted(() => false);
    const store = new ShakyStore();
    const engine = await withTable(newEngine({ store, admission }));
    const passes: number[] = [];
    const admit: Admission['admit'] = (touches) => {
      passes.push(touches.length);
      return undefined;
    };
    Object.assign(admission, { admit });
    store.shake();
    await ask(engine, 'PutItem', { TableName: 'things', Item: item('a') });
    store.shake();
    await ask(engine, 'TransactWriteItems', {
      TransactItems: [{ Put: { TableName: 'things', Item: item('b') } }],
    });
    store.shake();
    await ask(engine, 'BatchWriteItem', { RequestItems: { things: [{ PutRequest: { Item: item('c') } }] } });
    expect(charged).toEqual(['write things 1', 'write things 2', 'write things 1']);
    expect(passes).toEqual([1, 1, 1]);
    expect(store.decisions).toBeGreaterThanOrEqual(9);
  });
});

/** A store that others share: it decides every unit twice, and after `shake` shows each table another epoch once. */
class ShakyStore extends MemoryStore {
  decisions = 0;
  #isShaken = false;
  #hasShakenReads = false;

  constructor() {
    super();
    Object.assign(this, { exclusive: false, immediate: false });
  }

  shake(): void {
    this.#isShaken = true;
  }

  /** The next read of several keys finds nothing, not even an epoch. */
  shakeReads(): void {
    this.#hasShakenReads = true;
  }

  override getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const isShaken = this.#hasShakenReads;
    this.#hasShakenReads = false;
    return isShaken ? keys.map(() => undefined) : super.getMany(keys);
  }

  override transact<R>(unit: Unit<R>): R {
    return super.transact(this.#shaken(unit)) as R;
  }

  override transactMany<R>(units: readonly Unit<R>[]) {
    return super.transactMany(units.map((unit) => this.#shaken(unit)));
  }

  #shaken<R>(unit: Unit<R>): Unit<R> {
    const isShaken = this.#isShaken;
    this.#isShaken = false;
    return {
      reads: unit.reads,
      ...(unit.counters && { counters: unit.counters }),
      decide: (found) => {
        this.decisions++;
        if (isShaken) return unit.decide({ ...found, values: found.values.map(() => undefined) });
        unit.decide(found);
        this.decisions++;
        return unit.decide(found);
      },
    };
  }
}

describe('a request that is planned again', () => {
  it('keeps its refusals', async () => {
    const store = new ShakyStore();
    const { admission, charged } = planted(refusesHot);
    const engine = await withTable(newEngine({ store, admission }));
    for (const pk of ['a', 'hot'])
      await ask(engine, 'BatchWriteItem', { RequestItems: { things: [{ PutRequest: { Item: item(pk) } }] } });
    charged.length = 0;
    store.shakeReads();
    expect(
      await ask(engine, 'BatchGetItem', { RequestItems: { things: { Keys: [item('hot'), item('a')] } } }),
    ).toEqual({
      Responses: { things: [item('a')] },
      UnprocessedKeys: { things: { Keys: [item('hot')] } },
    });
    expect(charged).toEqual(['read things 0.5']);
  });
});

describe('faults', () => {
  it('count a statement of several reads as one request', async () => {
    const engine = await withTable(newEngine());
    engine.faults.add({ error: 'ThrottlingException', table: 'things', times: 2 });
    const Statement = `SELECT * FROM things WHERE pk IN ['a', 'b', 'c']`;
    expect(await ask(engine, 'ExecuteStatement', { Statement })).toEqual({ error: 'ThrottlingException' });
    expect(engine.faults.all.map(({ times }) => times)).toEqual([1]);
    engine.faults.clear();
    engine.faults.add({ error: 'ThrottlingException', key: { pk: { S: 'c' } } });
    const { admission, charged } = planted(() => false);
    Object.assign(engine, { admission });
    expect(await ask(engine, 'ExecuteStatement', { Statement })).toEqual({ error: 'ThrottlingException' });
    expect(charged).toEqual([]);
  });

  it('mean an item of a batch by any of its attributes', async () => {
    const engine = await withTable(newEngine());
    engine.faults.add({ error: 'ThrottlingException', key: { color: { S: 'red' } } });
    const Item = item('a', '1', { color: { S: 'red' } });
    expect(
      await ask(engine, 'BatchWriteItem', { RequestItems: { things: [{ PutRequest: { Item } }] } }),
    ).toEqual({
      error: 'ThrottlingException',
    });
  });

  it('on a table meet the statements of PartiQL', async () => {
    const engine = await withTable(newEngine());
    engine.faults.add({ error: 'ThrottlingException', table: 'things', times: 3 });
    const Statement = `SELECT * FROM things WHERE pk = 'a' AND sk = '1'`;
    expect(await ask(engine, 'ExecuteStatement', { Statement })).toEqual({ error: 'ThrottlingException' });
    expect(await ask(engine, 'BatchExecuteStatement', { Statements: [{ Statement }] })).toEqual({
      error: 'ThrottlingException',
    });
    expect(await ask(engine, 'ExecuteTransaction', { TransactStatements: [{ Statement }] })).toMatchObject({
      error: 'TransactionCanceledException',
    });
    expect(await ask(engine, 'ExecuteStatement', { Statement })).toEqual({ Items: [] });
  });

  it('never meet a request that is invalid', async () => {
    const engine = await withTable(newEngine());
    engine.faults.add({ error: 'ThrottlingException' });
    expect(await ask(engine, 'GetItem', { TableName: 'things', Key: { pk: { S: 'a' } } })).toEqual({
      error: 'ValidationException',
    });
    expect(await ask(engine, 'GetItem', { TableName: 'other', Key: item('a') })).toEqual({
      error: 'ResourceNotFoundException',
    });
    expect(engine.faults.isEmpty).toBe(false);
  });

  it('mean an item by any of its attributes, whatever form its numbers have', async () => {
    const engine = await withTable(newEngine());
    engine.faults.add({ error: 'ThrottlingException', key: { n: { N: '1' } } });
    const put = (N: string) =>
      ask(engine, 'PutItem', { TableName: 'things', Item: item('a', '1', { n: { N } }) });
    expect(await put('2')).toEqual({});
    expect(await put('1.0')).toEqual({ error: 'ThrottlingException' });
  });
});

describe('an observer', () => {
  function watched(): { engine: Engine; events: RequestEvent[] } {
    const events: RequestEvent[] = [];
    let ms = 0;
    const engine = newEngine({
      observer: { request: (event) => events.push(event) },
      runtime: { ...oneRuntime, stopwatchMs: () => (ms += 5) },
    });
    return { engine, events };
  }

  it('is told of every request once: operation, touches, units, items, duration, outcome, pattern', async () => {
    const { engine, events } = watched();
    await withTable(engine);
    await ask(engine, 'PutItem', { TableName: 'things', Item: item('a') });
    await ask(engine, 'Scan', { TableName: 'things', Limit: 5 });
    await ask(engine, 'PutItem', { TableName: 'things' });
    await ask(engine, 'DescribeLimits', {});
    const told = events.map((event) => [
      event.operation,
      event.touches.map(({ access, tableName }) => `${access} ${tableName}`),
      event.charges.map(({ consumed }) => consumed.table),
      event.returnedItems,
      event.outcome.kind,
    ]);
    expect(told).toEqual([
      ['CreateTable', ['control things'], [], 0, 'answered'],
      ['PutItem', ['write things'], [1], 0, 'answered'],
      ['Scan', ['read things'], [2], 1, 'answered'],
      ['PutItem', [], [], 0, 'refused'],
      ['DescribeLimits', ['control '], [], 0, 'answered'],
    ]);
    expect(new Set(events.map(({ durationMs }) => durationMs))).toEqual(new Set([5]));
    expect(events[0]).toMatchObject({ pattern: 'a pattern', caller: { requestId: 'request' } });
  });

  it('is told of a request that fails by an exception', async () => {
    const { engine, events } = watched();
    await withTable(engine);
    const trouble = new Error('planted');
    Object.assign(engine.store, {
      transact: () => {
        throw trouble;
      },
    });
    await expect(ask(engine, 'PutItem', { TableName: 'things', Item: item('a') })).rejects.toBe(trouble);
    expect(events.at(-1)).toMatchObject({
      operation: 'PutItem',
      outcome: { kind: 'failed', error: trouble },
    });
  });

  it('is told of expiry, of index filling, and of requests refused at the wire', async () => {
    const clock = new VirtualClock(1_790_000_000_000);
    const background: string[] = [];
    const refused: unknown[] = [];
    const observer: Observer = {
      background: ({ work, tableName, indexName, items }) =>
        background.push([work, tableName, indexName, items].join(' ')),
      refused: ({ target, status, reason }) => refused.push([target, status, reason]),
    };
    await using db = await Stator.open({ clock, observer });
    await db.createTable({
      TableName: 'things',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    });
    const Item: AttributeMapInput = { pk: { S: 'a' }, g: { S: 'x' }, until: { N: '1790000010' } };
    await db.putItem({ TableName: 'things', Item });
    await db.updateTable({
      TableName: 'things',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'g', AttributeType: 'S' },
      ],
      GlobalSecondaryIndexUpdates: [
        {
          Create: {
            IndexName: 'by-g',
            KeySchema: [{ AttributeName: 'g', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        },
      ],
    });
    await db.updateTimeToLive({
      TableName: 'things',
      TimeToLiveSpecification: { Enabled: true, AttributeName: 'until' },
    });
    await db.settled();
    clock.advanceMs(20_000);
    await db.settled();
    expect(background).toEqual(['index fill things by-g 1', 'expiry fill things  1', 'expiry things  1']);
    const server = await db.listen({ port: 0 });
    await fetch(server.url, {
      method: 'POST',
      headers: { 'X-Amz-Target': 'DynamoDB_20120810.Nothing', 'Content-Type': 'application/x-amz-json-1.0' },
      body: '{}',
    });
    const ask = (headers: Record<string, string>, body: string) =>
      fetch(server.url, {
        method: 'POST',
        headers: {
          'X-Amz-Target': 'DynamoDB_20120810.ListTables',
          'Content-Type': 'application/x-amz-json-1.0',
          ...headers,
        },
        body,
      });
    await ask({ Origin: 'https://elsewhere.example' }, '{}');
    await ask({ 'Content-Encoding': 'gzip' }, 'not gzip');
    await ask({ 'Content-Type': 'text/plain' }, '{}');
    expect(refused).toEqual([
      ['DynamoDB_20120810.Nothing', 400, 'UnknownOperationException'],
      ['DynamoDB_20120810.ListTables', 403, 'AccessDeniedException'],
      ['DynamoDB_20120810.ListTables', 500, 'InternalServerError'],
      ['DynamoDB_20120810.ListTables', 404, 'UnknownOperationException'],
    ]);
  });
});

it('every operation is judged on its road before it does anything', async () => {
  const engine = await withTable(newEngine());
  await ask(engine, 'UpdateTable', {
    TableName: 'things',
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
  });
  const { Streams } = (await ask(engine, 'ListStreams', {})) as { Streams: { StreamArn: string }[] };
  const StreamArn = Streams[0]!.StreamArn;
  const { StreamDescription } = (await ask(engine, 'DescribeStream', { StreamArn })) as {
    StreamDescription: { Shards: { ShardId: string }[] };
  };
  const shard = { StreamArn, ShardId: StreamDescription.Shards[0]!.ShardId, ShardIteratorType: 'LATEST' };
  const { ShardIterator } = await ask(engine, 'GetShardIterator', shard);
  const [TableName, Key] = ['things', item('a')];
  const destination = { TableName, StreamArn: 'arn:aws:kinesis:us-east-1:000000000000:stream/records' };
  const ResourceArn = 'arn:aws:dynamodb:us-east-1:000000000000:table/things';
  const BackupArn = `${ResourceArn}/backup/01700000000000-00000000`;
  const Statement = `SELECT * FROM things WHERE pk = 'a' AND sk = '1'`;
  const bodies: Readonly<Record<string, object>> = {
    BatchExecuteStatement: { Statements: [{ Statement }] },
    BatchGetItem: { RequestItems: { things: { Keys: [Key] } } },
    BatchWriteItem: { RequestItems: { things: [{ PutRequest: { Item: Key } }] } },
    CreateBackup: { TableName, BackupName: 'one' },
    CreateTable: {
      TableName: 'others',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    },
    DeleteBackup: { BackupArn },
    DeleteItem: { TableName, Key },
    DeleteTable: { TableName },
    DescribeBackup: { BackupArn },
    DescribeContinuousBackups: { TableName },
    DescribeContributorInsights: { TableName },
    DescribeEndpoints: {},
    DescribeExport: { ExportArn: `${ResourceArn}/export/01700000000000-00000000` },
    DescribeImport: { ImportArn: `${ResourceArn}/import/01700000000000-00000000` },
    DescribeKinesisStreamingDestination: { TableName },
    DescribeLimits: {},
    DescribeStream: { StreamArn },
    DescribeTable: { TableName },
    DescribeTimeToLive: { TableName },
    DisableKinesisStreamingDestination: destination,
    EnableKinesisStreamingDestination: destination,
    ExecuteStatement: { Statement },
    ExecuteTransaction: { TransactStatements: [{ Statement }] },
    ExportTableToPointInTime: { TableArn: ResourceArn, S3Bucket: 'data' },
    GetItem: { TableName, Key },
    GetRecords: { ShardIterator },
    GetShardIterator: shard,
    ImportTable: {
      S3BucketSource: { S3Bucket: 'data' },
      InputFormat: 'CSV',
      TableCreationParameters: {
        TableName: 'others',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      },
    },
    ListBackups: {},
    ListExports: {},
    ListImports: {},
    ListContributorInsights: {},
    ListStreams: {},
    ListTables: {},
    ListTagsOfResource: { ResourceArn },
    PutItem: { TableName, Item: Key },
    Query: {
      TableName,
      KeyConditionExpression: 'pk = :p',
      ExpressionAttributeValues: { ':p': { S: 'a' } },
    },
    RestoreTableFromBackup: { BackupArn, TargetTableName: 'restored' },
    RestoreTableToPointInTime: {
      SourceTableName: TableName,
      TargetTableName: 'restored',
      UseLatestRestorableTime: true,
    },
    Scan: { TableName },
    TagResource: { ResourceArn, Tags: [{ Key: 'a', Value: 'b' }] },
    TransactGetItems: { TransactItems: [{ Get: { TableName, Key } }] },
    TransactWriteItems: { TransactItems: [{ Delete: { TableName, Key } }] },
    UntagResource: { ResourceArn, TagKeys: ['a'] },
    UpdateContinuousBackups: {
      TableName,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    },
    UpdateContributorInsights: { TableName, ContributorInsightsAction: 'ENABLE' },
    UpdateItem: { TableName, Key },
    UpdateKinesisStreamingDestination: {
      ...destination,
      UpdateKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision: 'MILLISECOND' },
    },
    UpdateTable: { TableName, DeletionProtectionEnabled: true },
    UpdateTimeToLive: { TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: 'until' } },
  };
  expect(Object.keys(bodies).sort()).toEqual([...operations.keys()].sort());
  const denied = () => new DynamoError('AccessDeniedException', 'no');
  Object.assign(engine, {
    restrict: (_: string, __: Caller, touches: readonly Touch[]) => touches.map(denied),
  });
  for (const [name, body] of Object.entries(bodies)) {
    const { error } = await ask(engine, name, body);
    const isTransaction = name.startsWith('Transact') || name === 'ExecuteTransaction';
    expect(error, name).toBe(isTransaction ? 'TransactionCanceledException' : 'AccessDeniedException');
  }
  Object.assign(engine, {
    restrict: (_: string, __: Caller, touches: readonly Touch[]) => touches.map(() => undefined),
  });
  expect(await ask(engine, 'ListTables', {})).toEqual({ TableNames: ['things'] });
});
