/**
 * Regulated cases: a state machine whose every step is checked, recorded and repeatable, in one table.
 *
 * Access patterns                        keys
 *   a case                                 pk = CASE#<id>, sk = METADATA
 *   its evidence by time                   pk = CASE#<id>, sk = EVIDENCE#<time>#<id>
 *   its transitions; the latest decision   sk = TRANSITION#<time>#<id>; sk = DECISION#..., backwards, Limit 1
 *   everything of it, the timeline         pk = CASE#<id>
 *   an officer's open cases by priority    GSI1PK = OFFICER#<id>#STATUS#OPEN,
 *                                          GSI1SK = PRIORITY#<p>#CREATED#<time>#CASE#<id>
 *   a tenant's cases by status and time    GSI2PK = TENANT#<t>#STATUS#<s>, GSI2SK = <created>#CASE#<id>
 *   cases whose deadline is near           GSI3PK = SLA#<day>, GSI3SK = <due>#CASE#<id>: a bucket for every day
 *   whether a command was carried out      pk = IDEMPOTENCY#<command>, sk = RESULT
 *   approve, if under review and version 7 one TransactWriteItems: the case, the transition, the command's result
 *
 * Use it for anything that somebody will have to account for. One key SLA#DUE for all deadlines would take every case's
 * writes; a bucket for every day spreads them and lets a worker read today's and nothing else.
 * Not for transitions that wait for other systems: record what is to be done in the same transaction, do it afterwards.
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, type Table, type TableShape, withTable } from '../stage.ts';

const shape: TableShape = {
  key: { pk: 'S', sk: 'S' },
  indexes: {
    GSI1: { key: { GSI1PK: 'S', GSI1SK: 'S' }, only: [] },
    GSI2: { key: { GSI2PK: 'S', GSI2SK: 'S' }, only: [] },
    GSI3: { key: { GSI3PK: 'S', GSI3SK: 'S' }, only: [] },
  },
};

interface Case {
  readonly id: string;
  readonly status: string;
  readonly priority: 'HIGH' | 'LOW';
  readonly created: string;
  readonly due: string;
}

/** Closed cases have no officer and no deadline in the indexes, which hold work to be done. */
const indexKeys = ({ id, status, priority, created, due }: Case) => ({
  GSI2PK: `TENANT#t1#STATUS#${status}`,
  GSI2SK: `${created}#CASE#${id}`,
  ...(status !== 'APPROVED' && {
    GSI1PK: 'OFFICER#u123#STATUS#OPEN',
    GSI1SK: `PRIORITY#${priority}#CREATED#${created}#CASE#${id}`,
    GSI3PK: `SLA#${due.slice(0, 10)}`,
    GSI3SK: `${due}#CASE#${id}`,
  }),
});
const caseItem = (given: Case, version: number) => ({
  pk: `CASE#${given.id}`,
  sk: 'METADATA',
  status: given.status,
  version,
  ...indexKeys(given),
});

const c1: Case = {
  id: 'c1',
  status: 'UNDER_REVIEW',
  priority: 'HIGH',
  created: '2026-06-30T09:00:00Z',
  due: '2026-07-01T00:00:00Z',
};
const c2: Case = {
  id: 'c2',
  status: 'NEW',
  priority: 'LOW',
  created: '2026-06-29T09:00:00Z',
  due: '2026-07-01T12:00:00Z',
};

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(client, shape, async (table) => {
    await putAll(client, table, [
      caseItem(c1, 7),
      caseItem(c2, 1),
      { pk: 'CASE#c1', sk: 'EVIDENCE#2026-06-30T09:30:00Z#e1', file: 'plan.pdf' },
      { pk: 'CASE#c1', sk: 'EVIDENCE#2026-06-30T09:40:00Z#e2', file: 'photo.jpg' },
      { pk: 'CASE#c1', sk: 'TRANSITION#2026-06-30T10:00:00Z#tr1', to: 'UNDER_REVIEW' },
      { pk: 'CASE#c1', sk: 'DECISION#2026-06-30T10:20:00Z#d1', text: 'More evidence' },
      { pk: 'CASE#c1', sk: 'DECISION#2026-06-30T10:30:00Z#d2', text: 'Sufficient' },
    ]);
    const metadata = () =>
      client.send(new GetCommand({ ...table, Key: { pk: 'CASE#c1', sk: 'METADATA' }, ConsistentRead: true }));
    const ofCase = (prefix: string, rest: { ScanIndexForward?: boolean; Limit?: number } = {}) =>
      client.send(
        new QueryCommand({
          ...table,
          ProjectionExpression: 'sk',
          KeyConditionExpression: 'pk = :case AND begins_with(sk, :prefix)',
          ExpressionAttributeValues: { ':case': 'CASE#c1', ':prefix': prefix },
          ...rest,
        }),
      );
    const indexed = (index: string, key: string, upTo: string) =>
      client.send(
        new QueryCommand({
          ...table,
          IndexName: index,
          ProjectionExpression: `pk, ${index}SK`,
          KeyConditionExpression: `${index}PK = :key AND ${index}SK <= :upTo`,
          ExpressionAttributeValues: { ':key': key, ':upTo': upTo },
        }),
      );

    say('A case', await metadata());
    say('Its evidence by time', await ofCase('EVIDENCE#'));
    say('Its latest decision', await ofCase('DECISION#', { ScanIndexForward: false, Limit: 1 }));
    say("The officer's open cases, the urgent first", await indexed('GSI1', 'OFFICER#u123#STATUS#OPEN', '~'));
    say("The tenant's cases under review", await indexed('GSI2', 'TENANT#t1#STATUS#UNDER_REVIEW', '~'));
    say('Cases due on July 1st before noon', await indexed('GSI3', 'SLA#2026-07-01', '2026-07-01T12'));

    say(`Approve c1 as of version 7: ${await approve(client, table, 'cmd-123', 7)}`);
    say(`The same command again: ${await approve(client, table, 'cmd-123', 7)}`);
    say(`Another officer's command, also as of version 7: ${await approve(client, table, 'cmd-124', 7)}`);
    say('The case', await metadata());
    say('Its transitions', await ofCase('TRANSITION#'));
    say("The officer's open cases now", await indexed('GSI1', 'OFFICER#u123#STATUS#OPEN', '~'));
    say('Cases due on July 1st before noon now', await indexed('GSI3', 'SLA#2026-07-01', '2026-07-01T12'));
    say(
      'The timeline: everything of the case',
      await client.send(
        new QueryCommand({
          ...table,
          ProjectionExpression: 'sk',
          KeyConditionExpression: 'pk = :case',
          ExpressionAttributeValues: { ':case': 'CASE#c1' },
        }),
      ),
    );
  });
}

/** The time comes with the command, so that the same command is the same write whenever it is sent again. */
async function approve(
  client: DynamoDBDocumentClient,
  { TableName }: Table,
  command: string,
  version: number,
): Promise<string> {
  try {
    const { ConsumedCapacity } = await client.send(
      new TransactWriteCommand({
        TransactItems: [
          {
            Put: {
              TableName,
              Item: { pk: `IDEMPOTENCY#${command}`, sk: 'RESULT', result: 'APPROVED' },
              ConditionExpression: 'attribute_not_exists(pk)',
            },
          },
          {
            Put: {
              TableName,
              Item: caseItem({ ...c1, status: 'APPROVED' }, version + 1),
              ConditionExpression: '#status = :review AND version = :read',
              ExpressionAttributeNames: { '#status': 'status' },
              ExpressionAttributeValues: { ':review': 'UNDER_REVIEW', ':read': version },
            },
          },
          {
            Put: {
              TableName,
              Item: {
                pk: 'CASE#c1',
                sk: `TRANSITION#2026-06-30T11:00:00Z#${command}`,
                from: 'UNDER_REVIEW',
                to: 'APPROVED',
              },
              ConditionExpression: 'attribute_not_exists(pk)',
            },
          },
        ],
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    return `done, for ${ConsumedCapacity?.[0]?.CapacityUnits} units`;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    return `not done (${(error.CancellationReasons ?? []).map(({ Code }) => Code).join(', ')})`;
  }
}

await playIfStarted(import.meta.url, run);
