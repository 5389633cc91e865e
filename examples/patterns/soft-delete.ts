/**
 * Deleting that can be undone for thirty days, with an archive of what must be kept for longer.
 *
 * Access patterns                        keys
 *   the documents of an owner              GSI1PK = OWNER#<id>, GSI1SK = <title>: only those that are not deleted
 *   delete one                             SET deleted, expires; REMOVE its keys in GSI1; and put the archive's item
 *   what is in the bin                     GSI2PK = BIN#<owner>, GSI2SK = <time of deletion>
 *   undo                                   the reverse, if `expires` has not passed
 *   what was ever deleted                  PK = ARCHIVE#<owner>, SK = <time>#<document>: without an expiry
 *
 * Use it where people delete by mistake. The indexes are sparse, so that daily reads never meet what is deleted and need
 * no filter. Time to Live empties the bin, some time after the thirty days, and for nothing. Not for what a law wants
 * gone by a date, or kept until one: the archive's item has no expiry, and is written in the same transaction. Who
 * wants the whole document in the archive follows the table's stream, which tells of every deletion with the old item.
 */
import { TransactionCanceledException, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import {
  playIfStarted,
  putAll,
  type Say,
  type Table,
  type TableShape,
  type Time,
  withTable,
} from '../stage.ts';

const day = 86_400;
const documentKey = (id: string) => ({ PK: `DOC#${id}`, SK: 'DOC' });
const owner = 'ada';
const timeText = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19);
const shape = {
  indexes: {
    GSI1: { key: { GSI1PK: 'S', GSI1SK: 'S' }, only: [] },
    GSI2: { key: { GSI2PK: 'S', GSI2SK: 'S' }, only: ['title', 'expires'] },
  },
} satisfies TableShape;

export async function run(client: DynamoDBDocumentClient, say: Say, time: Time): Promise<void> {
  await withTable(client, shape, async (table) => {
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: table.TableName,
        TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
      }),
    );
    await putAll(
      client,
      table,
      ['budget', 'notes', 'plan'].map((title) => ({
        ...documentKey(title),
        title,
        GSI1PK: `OWNER#${owner}`,
        GSI1SK: title,
      })),
    );
    const query = (IndexName: string | undefined, PK: string) =>
      client.send(
        new QueryCommand({
          ...table,
          ...(IndexName !== undefined && { IndexName }),
          KeyConditionExpression: '#pk = :pk',
          ExpressionAttributeNames: { '#pk': IndexName === undefined ? 'PK' : `${IndexName}PK` },
          ExpressionAttributeValues: { ':pk': PK },
        }),
      );

    say(`budget is deleted: ${await softDelete(client, table, time, 'budget')}`);
    await time.pass(10 * day);
    say(`notes is deleted ten days later: ${await softDelete(client, table, time, 'notes')}`);
    say('The documents of the owner', await query('GSI1', `OWNER#${owner}`));
    say('What is in the bin', await query('GSI2', `BIN#${owner}`));
    say(`notes is wanted back: ${await undo(client, table, time, 'notes')}`);
    say('The documents of the owner', await query('GSI1', `OWNER#${owner}`));

    if (!(await time.pass(21 * day))) return;
    say(`budget is wanted back a month later: ${await undo(client, table, time, 'budget')}`);
    say('The document is gone', await client.send(new GetCommand({ ...table, Key: documentKey('budget') })));
    say('And out of the bin', await query('GSI2', `BIN#${owner}`));
    say('The archive knows of both', await query(undefined, `ARCHIVE#${owner}`));
  });
}

async function softDelete(
  client: DynamoDBDocumentClient,
  table: Table,
  time: Time,
  id: string,
): Promise<string> {
  const now = await time.now();
  return done(
    client.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Update: {
              TableName: table.TableName,
              Key: documentKey(id),
              UpdateExpression:
                'SET deleted = :yes, expires = :expires, GSI2PK = :bin, GSI2SK = :time REMOVE GSI1PK, GSI1SK',
              ConditionExpression: 'attribute_exists(PK) AND attribute_not_exists(deleted)',
              ExpressionAttributeValues: {
                ':yes': true,
                ':expires': now + 30 * day,
                ':bin': `BIN#${owner}`,
                ':time': timeText(now),
              },
            },
          },
          {
            Put: {
              TableName: table.TableName,
              Item: { PK: `ARCHIVE#${owner}`, SK: `${timeText(now)}#${id}`, title: id },
            },
          },
        ],
      }),
    ),
  );
}

/** An item that has expired may still be there; it is not brought back from the dead. */
async function undo(client: DynamoDBDocumentClient, table: Table, time: Time, id: string): Promise<string> {
  const now = await time.now();
  return done(
    client.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Update: {
              TableName: table.TableName,
              Key: documentKey(id),
              UpdateExpression: 'SET GSI1PK = :owner, GSI1SK = title REMOVE deleted, expires, GSI2PK, GSI2SK',
              ConditionExpression: 'deleted = :yes AND expires > :now',
              ExpressionAttributeValues: { ':yes': true, ':now': now, ':owner': `OWNER#${owner}` },
            },
          },
        ],
      }),
    ),
  );
}

async function done(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return 'done';
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    return 'too late';
  }
}

await playIfStarted(import.meta.url, run);
