import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { client as typedClient } from '../../src/client/index.ts';
import type { Model } from '../../src/design/index.ts';
import { testDatabase } from '../../src/testing/index.ts';
import { generated, generatedPath, modelNames } from './generated-files.ts';

type Json = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
type Plain = Readonly<Record<string, unknown>>;
interface TypedCalls {
  get(key: Plain): Promise<Plain | undefined>;
  put(values: Plain): Promise<void>;
}
/** What the test calls of any entity. */
interface AnyEntity {
  readonly schema: { readonly attributes: Readonly<Record<string, { readonly hidden: boolean }>> };
  put(values: Plain): { go(): Promise<unknown> };
  get(key: Plain): { go(options?: { readonly ignoreOwnership: true }): Promise<{ readonly data: Plain }> };
}

/** ElectroDB, given the emitted entities, must write the very items that the design's templates produce. */
describe.each(modelNames)('the ElectroDB entities of %s', (model) => {
  it('write the items of the design and read them back', async () => {
    const tables = JSON.parse(generated(model, 'create-table.json')) as object;
    await using database = await testDatabase({ tables });
    const { url } = await database.db.listen({ port: 0 });
    const credentials = { accessKeyId: 'anyone', secretAccessKey: 'anything' };
    const client = new DynamoDBClient({ region: 'us-east-1', endpoint: url, credentials });
    try {
      const module = (await import(generatedPath(model, 'electrodb.ts'))) as Readonly<
        Record<string, (configuration: object) => Record<string, AnyEntity>>
      >;
      const [open] = Object.values(module);
      const { default: source } = (await import(`../../examples/models/${model}/model.ts`)) as {
        readonly default: Model;
      };
      const app = typedClient(source, { client }) as unknown as {
        readonly entities: Readonly<Record<string, TypedCalls>>;
      };
      const entities = open!({ client: DynamoDBDocumentClient.from(client) });
      const { items } = JSON.parse(generated(model, 'dynamodb_data_model.json')) as {
        readonly items: Readonly<Record<string, readonly { PutRequest: { Item: Json } }[]>>;
      };
      let written = 0;
      for (const [TableName, puts] of Object.entries(items)) {
        for (const { PutRequest } of puts) {
          const { Item } = PutRequest;
          const entity = entities[String(Item._type!.S)]!;
          const names = Object.keys(entity.schema.attributes);
          const values = Object.fromEntries(
            Object.entries(Item)
              .filter(([name]) => names.includes(name))
              .map(([name, value]) => [name, plain(value)]),
          );
          await entity.put(values).go();
          const Key = { PK: Item.PK, SK: Item.SK } as never;
          const stored = (await client.send(new GetItemCommand({ TableName, Key }))).Item as unknown as Json;
          expect(stored).toMatchObject(Item);
          // Beside the design's own attributes there are only the hidden parts of keys and the version.
          const added = Object.keys(stored).filter((name) => Item[name] === undefined);
          const hidden = Object.entries(entity.schema.attributes)
            .filter(([, attribute]) => attribute.hidden)
            .map(([name]) => name);
          expect([...hidden, '__edb_v__']).toEqual(expect.arrayContaining(added));
          const read = await entity.get({ ...values, ...plainOf(stored) }).go();
          expect(read.data).toEqual(values);
          // Each reads what the other one wrote.
          const calls = app.entities[String(Item._type!.S)]!;
          expect(await calls.get(values)).toEqual(values);
          await calls.put(values);
          expect((await client.send(new GetItemCommand({ TableName, Key }))).Item).toEqual(Item);
          // The client's items lack ElectroDB's mark of its own version.
          const key = { ...values, ...plainOf(stored) };
          expect((await entity.get(key).go({ ignoreOwnership: true })).data).toEqual(values);
          written++;
        }
      }
      expect(written).toBeGreaterThan(10);
    } finally {
      client.destroy();
    }
  });
});

function plainOf(item: Json): Plain {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plain(value)]));
}

function plain(value: Readonly<Record<string, unknown>>): unknown {
  const [[type, inner]] = Object.entries(value) as [[string, unknown]];
  if (type === 'N') return Number(inner);
  if (type === 'M') return plainOf(inner as Json);
  if (type === 'L') return (inner as Readonly<Record<string, unknown>>[]).map(plain);
  return inner;
}
