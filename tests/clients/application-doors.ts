import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, type TranslateConfig } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { forkPerTest, type TableSource } from '../../src/testing/index.ts';

/** What an application is handed at its start; whether there is a socket behind it is not its business. */
export interface ApplicationDoor {
  client(config?: DynamoDBClientConfig): DynamoDBClient;
  documentClient(translateConfig?: TranslateConfig): DynamoDBDocumentClient;
}

/**
 * Runs the tests of one application in process and over HTTP. Every test begins with empty tables, as `forkPerTest`
 * gives them to users of Stator; the server stays up while the database behind it is put back.
 */
export function throughBothDoors(
  what: string,
  tables: TableSource | readonly TableSource[],
  tests: (door: ApplicationDoor) => void,
): void {
  describe(`${what} in process`, () => {
    const db = forkPerTest({ tables }, { beforeAll, beforeEach, afterAll });
    tests({
      client: (config) => db.client(config),
      documentClient: (translateConfig) => db.documentClient(undefined, translateConfig),
    });
  });

  describe(`${what} over HTTP`, () => {
    const db = forkPerTest({ tables }, { beforeAll, beforeEach, afterAll });
    const opened: DynamoDBClient[] = [];
    let endpoint = '';
    beforeAll(async () => {
      endpoint = (await db.listen({ port: 0 })).url;
    });
    // Hooks of this kind run last one first, so the connections have ended when the server is closed.
    afterAll(() => {
      for (const client of opened) client.destroy();
    });
    const client = (config?: DynamoDBClientConfig) => {
      const credentials = { accessKeyId: 'anyone', secretAccessKey: 'anything' };
      const made = new DynamoDBClient({ region: 'us-east-1', credentials, endpoint, ...config });
      opened.push(made);
      return made;
    };
    tests({
      client,
      documentClient: (translateConfig) => DynamoDBDocumentClient.from(client(), translateConfig),
    });
  });
}
