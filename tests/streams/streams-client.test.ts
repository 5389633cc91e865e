import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';

const require = createRequire(import.meta.url);
const name = '@aws-sdk/client-dynamodb-streams';
const isInstalled = (() => {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
})();

describe('the SDK client for streams', () => {
  it.runIf(isInstalled)('speaks to the database in this process', async () => {
    const sdk = require(name) as {
      ListStreamsCommand: new (input: object) => object;
      DynamoDBStreamsClient: new () => object;
    };
    const db = await Stator.open();
    const client = db.streamsClient() as { send(command: object): Promise<unknown>; destroy(): void };
    expect(client).toBeInstanceOf(sdk.DynamoDBStreamsClient);
    expect(await client.send(new sdk.ListStreamsCommand({}))).toMatchObject({ Streams: [] });
    client.destroy();
    await db.close();
  });

  it.runIf(!isInstalled)('is asked for by its name where it is not installed', async () => {
    const db = await Stator.open();
    expect(() => db.streamsClient()).toThrow(`npm install ${name}`);
    await db.close();
  });
});
