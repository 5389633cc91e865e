import { afterEach, describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { FaultyStore } from '../storage/faulty-store.ts';

/** A store that says that others write to it too, so that nothing may be taken from a cache unchecked. */
class SharedStore extends FaultyStore {
  override readonly exclusive = false;
}

const databases: Stator[] = [];

afterEach(async () => {
  for (const db of databases) {
    await db.engine.settled();
    expect(await db.check()).toMatchObject({ findings: [], unjudged: [] });
  }
  await Promise.all(databases.splice(0).map((db) => db.close()));
});

function definition(hashName: string) {
  return {
    TableName: 'Things',
    BillingMode: 'PAY_PER_REQUEST' as const,
    AttributeDefinitions: [{ AttributeName: hashName, AttributeType: 'S' as const }],
    KeySchema: [{ AttributeName: hashName, KeyType: 'HASH' as const }],
  };
}

/** Two databases on one store; the second has the table in its cache when the first makes it anew with another key. */
async function replaced(): Promise<{ first: Stator; second: Stator }> {
  const memory = new MemoryStore();
  const [first, second] = await Promise.all([
    Stator.open({ store: new SharedStore(memory) }),
    Stator.open({ store: new SharedStore(memory) }),
  ]);
  databases.push(first, second);
  await first.createTable(definition('old'));
  await second.putItem({ TableName: 'Things', Item: { old: { S: 'x' } } });
  await first.deleteTable({ TableName: 'Things' });
  await first.createTable(definition('new'));
  return { first, second };
}

describe('a table that another process made anew', () => {
  it('is read and written by its new key at once', async () => {
    const { first, second } = await replaced();
    await second.putItem({ TableName: 'Things', Item: { new: { S: 'y' } } });
    expect((await first.getItem({ TableName: 'Things', Key: { new: { S: 'y' } } })).Item).toEqual({
      new: { S: 'y' },
    });
  });

  it.each([
    ['GetItem', (db: Stator) => db.getItem({ TableName: 'Things', Key: { new: { S: 'y' } } })],
    ['DeleteItem', (db: Stator) => db.deleteItem({ TableName: 'Things', Key: { new: { S: 'y' } } })],
    [
      'Query',
      (db: Stator) =>
        db.query({
          TableName: 'Things',
          KeyConditionExpression: '#k = :k',
          ExpressionAttributeNames: { '#k': 'new' },
          ExpressionAttributeValues: { ':k': { S: 'y' } },
        }),
    ],
  ])('is known to %s, whose key the old one would have refused', async (_, call) => {
    const { second } = await replaced();
    await expect(call(second)).resolves.toBeDefined();
  });

  it('refuses its old key', async () => {
    const { second } = await replaced();
    await expect(second.getItem({ TableName: 'Things', Key: { old: { S: 'x' } } })).rejects.toThrow(
      'The provided key element does not match the schema',
    );
  });
});
