/**
 * Hierarchical sort keys: a path from coarse to fine, so that every level is a prefix.
 *
 * Access patterns                        keys
 *   everything in a country, state, city   PK = PLACES, SK begins with COUNTRY#US#, ...#STATE#CA#, ...
 *   an organisation's departments          PK = ORG#<org>, SK = DEPT#<dept>
 *   one department with its people         PK = ORG#<org>, SK begins with DEPT#<dept>
 *   a case with all that belongs to it     PK = TENANT#<t>, SK begins with CASE#<case>
 *   only its evidence                      PK = TENANT#<t>, SK begins with CASE#<case>#EVIDENCE#
 *
 * Use it when the levels are fixed and things rarely move: every read is one Query, whatever its depth.
 * Not when a node moves often, because its key and the keys of everything below it are written anew; and not when one
 * partition would take more than 1,000 writes a second, because the whole tree shares a partition key.
 */
import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, withTable } from '../stage.ts';

/** Every level ends with the delimiter's next use, so a prefix that is to mean "below this" must end with it. */
const city = (country: string, state: string, name: string) =>
  `COUNTRY#${country}#STATE#${state}#CITY#${name}`;
const employee = (department: string, id: string) => `DEPT#${department}#EMP#${id}`;
const evidence = (caseId: string, id: string) => `CASE#${caseId}#EVIDENCE#${id}`;

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(client, {}, async (table) => {
    await putAll(client, table, [
      { PK: 'PLACES', SK: city('US', 'CA', 'LA'), people: 3_820_000 },
      { PK: 'PLACES', SK: city('US', 'CA', 'SF'), people: 808_000 },
      { PK: 'PLACES', SK: city('US', 'NY', 'NYC'), people: 8_258_000 },
      { PK: 'PLACES', SK: city('UK', 'ENG', 'LONDON'), people: 8_866_000 },

      { PK: 'ORG#acme', SK: 'ORG#acme', name: 'Acme' },
      { PK: 'ORG#acme', SK: 'DEPT#engineering', name: 'Engineering' },
      { PK: 'ORG#acme', SK: employee('engineering', '001'), name: 'Ada' },
      { PK: 'ORG#acme', SK: employee('engineering', '002'), name: 'Grace' },
      { PK: 'ORG#acme', SK: 'DEPT#sales', name: 'Sales' },
      { PK: 'ORG#acme', SK: employee('sales', '003'), name: 'Mary' },

      { PK: 'TENANT#t1', SK: 'CASE#c1', title: 'Permit' },
      { PK: 'TENANT#t1', SK: evidence('c1', 'e1'), file: 'plan.pdf' },
      { PK: 'TENANT#t1', SK: evidence('c1', 'e2'), file: 'photo.jpg' },
      { PK: 'TENANT#t1', SK: 'CASE#c1#TRANSITION#2026-06-30T10:00:00Z', to: 'UNDER_REVIEW' },
      { PK: 'TENANT#t1', SK: 'CASE#c10', title: 'Appeal' },
      { PK: 'TENANT#t1', SK: evidence('c10', 'e1'), file: 'letter.pdf' },
    ]);

    const below = (PK: string, prefix: string) =>
      client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :pk AND begins_with(SK, :prefix)',
          ExpressionAttributeValues: { ':pk': PK, ':prefix': prefix },
        }),
      );

    say('Cities of a country', await below('PLACES', 'COUNTRY#US#'));
    say('Cities of a state', await below('PLACES', 'COUNTRY#US#STATE#CA#'));
    say(
      'One city',
      await client.send(new GetCommand({ ...table, Key: { PK: 'PLACES', SK: city('US', 'CA', 'LA') } })),
    );

    say(
      'The organisation itself',
      await client.send(new GetCommand({ ...table, Key: { PK: 'ORG#acme', SK: 'ORG#acme' } })),
    );
    say('Its departments with their people', await below('ORG#acme', 'DEPT#'));
    say('The people of one department', await below('ORG#acme', 'DEPT#engineering#EMP#'));

    say('The evidence of case c1', await below('TENANT#t1', 'CASE#c1#EVIDENCE#'));

    say(
      'Trap: a prefix without its delimiter also finds the neighbours: CASE#c1 finds c10',
      await below('TENANT#t1', 'CASE#c1'),
    );
    // The case itself has no delimiter behind it, so the case and what is below it are one range: '#' is followed by '$'.
    say(
      'Case c1 with all that belongs to it, and nothing of c10',
      await client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :pk AND SK BETWEEN :first AND :last',
          ExpressionAttributeValues: { ':pk': 'TENANT#t1', ':first': 'CASE#c1', ':last': 'CASE#c1$' },
        }),
      ),
    );
  });
}

await playIfStarted(import.meta.url, run);
