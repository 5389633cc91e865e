/**
 * Write sharding: one logical key over N partition keys, because one takes no more than 1,000 writes a second.
 *
 * Access patterns                        keys
 *   store an order of the day              PK = ORDER#<date>#<shard>, SK = <time>#<order>, shard = md5(order) mod N
 *   that order again                       the same: the shard is computed from the order, one GetItem
 *   all orders of the day, by time         N Queries, one for each shard, merged
 *   a tenant too large for one key         PK = TENANT#<id>#SHARD#<two digits>
 *   a month's orders in a status           PK = STATUS#<status>#<yyyy-mm>#<shard>
 *   note a sensor's reading                PK = READING#<date>#<random>: no way back to one reading
 *
 * Use it for the one key that is too hot, not for all: every read of the whole becomes N reads. Calculated suffixes
 * where single items are read by their id, random ones where all that matters is to write. Choose N from the peak of
 * the hottest key, N = ceil(writes per second / 1,000), with room to grow: to change N later is to move the data.
 * Not as a cure for a table that is short of capacity everywhere; and from some 25 shards on, look for a better key.
 */
import { createHash, randomInt } from 'node:crypto';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { playIfStarted, putAll, type Say, type Table, withTable } from '../stage.ts';

/** How many keys a load needs. */
const shardsFor = (writesPerSecond: number) => Math.max(1, Math.ceil(writesPerSecond / 1_000));

/** The same id has the same shard, always and in every program: the digest is one long number. */
const shardOf = (id: string, shards: number) =>
  Number(BigInt(`0x${createHash('md5').update(id).digest('hex')}`) % BigInt(shards));

const shards = 10;
const orderKey = (date: string, id: string) => `ORDER#${date}#${shardOf(id, shards)}`;
const tenantKey = (tenant: string, id: string) =>
  `TENANT#${tenant}#SHARD#${String(shardOf(id, shards)).padStart(2, '0')}`;
const statusKey = (status: string, month: string, id: string) =>
  `STATUS#${status}#${month}#${shardOf(id, shards)}`;

export async function run(client: DynamoDBDocumentClient, say: Say): Promise<void> {
  await withTable(client, {}, async (table) => {
    for (const load of [1_000, 2_500, 9_000, 25_000])
      say(`Keys for ${load} writes a second, at the least: ${shardsFor(load)}`);
    say(`The orders here expect 9000 and have ${shards}, one to spare`);

    const orders = Array.from({ length: 40 }, (_, i) => ({
      id: `o-${9001 + i}`,
      time: `2026-06-08T10:${String(i).padStart(2, '0')}:00Z`,
    }));
    await putAll(
      client,
      table,
      orders.map(({ id, time }) => ({ PK: orderKey('2026-06-08', id), SK: `${time}#${id}` })),
    );
    const keys = [
      orderKey('2026-06-08', 'o-9001'),
      tenantKey('large-tenant', 'o-9001'),
      statusKey('OPEN', '2026-06', 'o-9001'),
    ];
    say(`Keys that order o-9001 may have: ${keys.join(', ')}`);

    const written = new Map<string, number>();
    for (const { id } of orders) {
      const key = orderKey('2026-06-08', id);
      written.set(key, (written.get(key) ?? 0) + 1);
    }
    say(
      `Of 40 writes the busiest shard took ${Math.max(...written.values())}; all ${written.size} shards are in use`,
    );
    say('Trap: with PK = ORDER#2026-06-08 it would have been 40 of 40, however much capacity the table has');

    say(
      'One order again: its shard is computed, not searched',
      await client.send(
        new GetCommand({
          ...table,
          Key: { PK: orderKey('2026-06-08', 'o-9003'), SK: '2026-06-08T10:02:00Z#o-9003' },
        }),
      ),
    );
    say(
      `The first five orders of the day: ${shards} Queries of five items each, merged by time`,
      await firstOfAllShards(client, table, 'ORDER#2026-06-08', shards, 5),
    );

    const readings = Array.from({ length: 8 }, (_, i) => `2026-06-08T10:00:0${i}Z`);
    await putAll(
      client,
      table,
      readings.map((time) => ({ PK: `READING#2026-06-08#${randomInt(4)}`, SK: time })),
    );
    const { Items, ConsumedCapacity } = await firstOfAllShards(client, table, 'READING#2026-06-08', 4, 3);
    // In which shard a reading lies, and so how many were read to find these, is chance.
    const readingsFound = Items.map(({ SK }) => ({ SK }));
    say('Random suffixes: the first three readings of the day', { Items: readingsFound, ConsumedCapacity });
  });
}

/**
 * The first `limit` items of all shards. Each shard is sorted, so the first of the whole are among the first of each.
 * An empty shard costs the half unit that every Query costs.
 */
async function firstOfAllShards(
  client: DynamoDBDocumentClient,
  table: Table,
  prefix: string,
  shardCount: number,
  limit: number,
) {
  const answers: QueryCommandOutput[] = await Promise.all(
    Array.from({ length: shardCount }, (_, shard) =>
      client.send(
        new QueryCommand({
          ...table,
          KeyConditionExpression: 'PK = :shard',
          ExpressionAttributeValues: { ':shard': `${prefix}#${shard}` },
          Limit: limit,
        }),
      ),
    ),
  );
  const Items = answers.flatMap((answer) => answer.Items ?? []).sort((a, b) => (a.SK < b.SK ? -1 : 1));
  const sum = (of: (answer: QueryCommandOutput) => number | undefined) =>
    answers.reduce((total, answer) => total + (of(answer) ?? 0), 0);
  return {
    Items: Items.slice(0, limit),
    Count: Math.min(limit, Items.length),
    ScannedCount: sum((answer) => answer.ScannedCount),
    ConsumedCapacity: { CapacityUnits: sum((answer) => answer.ConsumedCapacity?.CapacityUnits) },
  };
}

await playIfStarted(import.meta.url, run);
