import { describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { processCaller } from '../../src/engine/process-caller.ts';
import { newHash16 } from '../../src/hash16.ts';
import { VirtualClock } from '../../src/index.ts';
import { type Authorize, accessDenied } from '../../src/model/access/authorize.ts';
import { DynamoError } from '../../src/model/errors.ts';
import allOperations from '../../src/operations/all-operations.ts';
import { type NamedHandler, RawJson } from '../../src/operations/operation.ts';
import { realRuntime } from '../../src/runtime/machine/runtime-of.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { bodyBytes } from '../../src/wire/reply-body.ts';

/** A store that two engines share, as two processes share a data directory. */
class SharedStore extends MemoryStore {
  constructor() {
    super();
    Object.assign(this, { exclusive: false, immediate: false });
  }
}

let draws = 0;

/** Both engines draw from it, so that no two tables have one id. */
function nextDraw(): number {
  draws = (draws + 7_919) % 100_003;
  return draws / 100_003;
}

const chance = { seed: 0, generation: 0, random: { next: nextDraw }, words: () => 0 };

function newEngine(store: MemoryStore): Engine {
  return new Engine({
    store,
    runtime: realRuntime(new VirtualClock(1_790_000_000_000), chance),
    ...{ h16: newHash16(), physics: 'off', log: () => {} },
  });
}

const operations = new Map<string, NamedHandler>(
  Object.values(allOperations).flatMap((api) => Object.values(api).map((each) => [each.name, each])),
);

async function ask(engine: Engine, name: string, body: object, authorize?: Authorize): Promise<unknown> {
  const caller = processCaller({
    ...{ accountId: '000000000000', region: 'us-east-1', accessKeyId: 'test', requestId: 'test' },
    authorize,
  });
  const answer = await operations.get(name)!.handle(engine, body, caller);
  if (answer instanceof DynamoError) return answer.name;
  return JSON.parse(
    answer instanceof RawJson ? Buffer.from(bodyBytes(answer.chunks)).toString() : JSON.stringify(answer),
  );
}

const TableName = 'things';
const Key = { pk: { S: 'a' } };
const definition = (hash: string) => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: hash, AttributeType: 'S' }],
  KeySchema: [{ AttributeName: hash, KeyType: 'HASH' }],
});

const select = `SELECT * FROM things WHERE pk = 'a'`;
const update = `UPDATE things SET x = 'mine' WHERE pk = 'a'`;
const values = { ':v': { S: 'mine' } };

const requests: readonly (readonly [string, object])[] = [
  ['GetItem', { TableName, Key }],
  ['BatchGetItem', { RequestItems: { things: { Keys: [Key] } } }],
  ['TransactGetItems', { TransactItems: [{ Get: { TableName, Key } }] }],
  [
    'Query',
    { TableName, KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': { S: 'a' } } },
  ],
  ['Scan', { TableName }],
  ['PutItem', { TableName, Item: { ...Key, x: { S: 'mine' } }, ReturnValues: 'ALL_OLD' }],
  ['UpdateItem', { TableName, Key, UpdateExpression: 'SET x = :v', ExpressionAttributeValues: values }],
  ['DeleteItem', { TableName, Key, ReturnValues: 'ALL_OLD' }],
  ['BatchWriteItem', { RequestItems: { things: [{ DeleteRequest: { Key } }] } }],
  ['TransactWriteItems', { TransactItems: [{ Delete: { TableName, Key } }] }],
  ['ExecuteStatement', { Statement: select }],
  ['ExecuteStatement', { Statement: 'SELECT * FROM things' }],
  ['ExecuteStatement', { Statement: update }],
  ['BatchExecuteStatement', { Statements: [{ Statement: select }] }],
  ['BatchExecuteStatement', { Statements: [{ Statement: update }] }],
  ['ExecuteTransaction', { TransactStatements: [{ Statement: select }] }],
  ['ExecuteTransaction', { TransactStatements: [{ Statement: update }] }],
];

describe('a table that another process deleted and created again under a verdict', () => {
  it.each(requests)('is judged again before %s %j runs', async (name, body) => {
    const store = new SharedStore();
    const [here, there] = [newEngine(store), newEngine(store)];
    await ask(here, 'CreateTable', definition('pk'));
    const described = (await ask(here, 'DescribeTable', { TableName })) as { Table: { TableId: string } };
    const permitted = described.Table.TableId;
    const seen: (string | undefined)[] = [];
    /** Permits one table by its id. Answers later, as an authorizer does that asks elsewhere. */
    const byIdentity: Authorize = async (intent, requester) => {
      const table = await intent.table!();
      seen.push(table?.id);
      return table?.id === permitted ? undefined : accessDenied(intent, requester);
    };
    expect(await ask(here, 'GetItem', { TableName, Key }, byIdentity)).toEqual({});
    await ask(there, 'DeleteTable', { TableName });
    await ask(there, 'CreateTable', definition('pk'));
    await ask(there, 'PutItem', { TableName, Item: { ...Key, x: { S: 'secret' } } });
    seen.length = 0;
    const answer = await ask(here, name, body, byIdentity);
    // The first verdict is about the table that this process still knows.
    expect(seen[0]).toBe(permitted);
    expect(seen.at(-1)).not.toBe(permitted);
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(JSON.stringify(answer)).toContain('AccessDenied');
    expect(await ask(there, 'Scan', { TableName })).toMatchObject({
      Items: [{ ...Key, x: { S: 'secret' } }],
    });
    await Promise.all([here.close(), there.close()]);
  });

  it('is judged by its new keys', async () => {
    const store = new SharedStore();
    const [here, there] = [newEngine(store), newEngine(store)];
    await ask(here, 'CreateTable', definition('pk'));
    const Item = { pk: { S: 'mine' }, owner: { S: 'theirs' } };
    const onlyMine: Authorize = (intent, requester) => {
      const keys = intent.items?.leadingKeys();
      return Array.isArray(keys) && keys.every((key) => key === 'mine')
        ? undefined
        : accessDenied(intent, requester);
    };
    expect(await ask(here, 'PutItem', { TableName, Item }, onlyMine)).toEqual({});
    await ask(there, 'DeleteTable', { TableName });
    await ask(there, 'CreateTable', definition('owner'));
    expect(await ask(here, 'PutItem', { TableName, Item }, onlyMine)).toBe('AccessDeniedException');
    expect(await ask(there, 'Scan', { TableName })).toMatchObject({ Items: [] });
    await Promise.all([here.close(), there.close()]);
  });

  it('is not judged again while its items change', async () => {
    const store = new SharedStore();
    const [here, there] = [newEngine(store), newEngine(store)];
    await ask(here, 'CreateTable', definition('pk'));
    let asked = 0;
    const counting: Authorize = () => {
      asked++;
      return undefined;
    };
    await ask(here, 'GetItem', { TableName, Key }, counting);
    await ask(there, 'UpdateTimeToLive', {
      ...{ TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: 'until' } },
    });
    asked = 0;
    expect(await ask(here, 'PutItem', { TableName, Item: Key }, counting)).toEqual({});
    expect(asked).toBe(1);
    await Promise.all([here.close(), there.close()]);
  });
});
