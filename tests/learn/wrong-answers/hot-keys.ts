// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are passages of the learner's files
import { instead, type WrongAnswers } from './wrong-answer.ts';

export const hotKeys: WrongAnswers = {
  'hot-shipment': [
    {
      what: 'one key',
      change: (_, start) => start,
      saw: /[\d,]+ writes were throttled\. SHIPMENT#S881 took [\d,]+ write units a second; a partition gives 1,000/,
      rule: /One key lies in one partition/,
    },
    {
      what: 'a thousand shards',
      change: instead('keys.mjs', ['const shards = 10;', 'const shards = 1000;']),
      saw: /a reader must send 1,000 queries/,
      rule: /divides the writes and multiplies the reads/,
    },
    {
      what: 'a suffix that all events of a moment share',
      change: instead('keys.mjs', ['% shards', '% 1']),
      saw: /writes were throttled/,
    },
    {
      what: 'readers who know too few shards',
      change: instead('keys.mjs', ['{ length: shards }', '{ length: shards - 1 }']),
      saw: /2,850 events of S881 were written; readers .* find 2,565/,
    },
    {
      what: 'other shipments are not found',
      change: instead('keys.mjs', [
        'export function writeKey(shipment, eventId) {\n',
        "export function writeKey(shipment, eventId) {\n  if (shipment !== 'S881') return `SHIPMENT#${shipment}`;\n",
      ]),
      saw: /16 events of S1000 were written; readers .* find 0/,
    },
  ],
  counter: [
    {
      what: 'one item',
      change: (_, start) => start,
      saw: /requests were throttled\. COUNT#home took/,
      rule: /ADD is right/,
    },
    {
      what: 'read, add, write',
      change: instead('counter.mjs', [
        `await db.updateItem({
    TableName: 'app',
    Key: keyOf(page, Math.floor(random() * shards)),
    UpdateExpression: 'ADD #views :one',
    ExpressionAttributeNames: { '#views': 'views' },
    ExpressionAttributeValues: { ':one': { N: '1' } },
  });`,
        `const Key = keyOf(page, Math.floor(random() * shards));
  const { Item } = await db.getItem({ TableName: 'app', Key });
  const views = { N: String(Number(Item?.views.N ?? 0) + 1) };
  await db.putItem({ TableName: 'app', Item: { ...Key, views } });`,
      ]),
      saw: /3,000 views were counted, and the total is \d+/,
      rule: /Let the database add/,
    },
    {
      what: 'one shard too few in the total',
      change: instead('counter.mjs', ['{ length: shards }', '{ length: shards - 1 }']),
      saw: /the total is \d+/,
    },
    {
      what: 'a Scan for the total',
      change: () => ({
        'counter.mjs': `export const add = (db, page, random) =>
  db.updateItem({
    TableName: 'app',
    Key: { PK: { S: 'COUNT#' + page + '#' + Math.floor(random() * 10) }, SK: { S: 'COUNT' } },
    UpdateExpression: 'ADD n :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
  });
export async function total(db, page) {
  const { Items } = await db.scan({ TableName: 'app' });
  return Items.filter(({ PK }) => PK.S.startsWith('COUNT#' + page)).reduce((sum, { n }) => sum + Number(n.N), 0);
}`,
      }),
      saw: /total made 1 Scan/,
      rule: /counters of all pages/,
    },
    {
      what: 'nobody waits for the write',
      change: instead('counter.mjs', ['  await db.updateItem', '  db.updateItem']),
      saw: /add was done while 1 request of it had no answer yet/,
      rule: /Write await/,
    },
  ],
  'busy-queue': [
    {
      what: 'one key for all open jobs',
      change: (_, start) => start,
      saw: /of 3,000 writes to the table were throttled/,
      rule: /an index has hot keys of its own/,
    },
    {
      what: 'only one shard is read',
      change: instead('queue.mjs', ['Array.from({ length: shards }', 'Array.from({ length: 1 }']),
      saw: /\d+ of the 20 oldest jobs came back/,
      rule: /lie in all shards/,
    },
    {
      what: 'not merged',
      change: instead('queue.mjs', ['    .sort((a, b) => (a.GSI1SK.S < b.GSI1SK.S ? -1 : 1))\n', '']),
      saw: /of the 20 oldest jobs came back|not oldest first/,
    },
    {
      what: 'everything is read',
      change: instead('queue.mjs', ['        Limit: count,\n', '']),
      saw: /The budget is 10 read units/,
    },
    {
      what: 'a shard for each second',
      change: instead('queue.mjs', [
        'export function indexKeys({',
        'export const indexKeys = ({ jobId, createdAt }) => ({ GSI1PK: `OPEN#${Number(createdAt.slice(17, 19)) % 8}`, GSI1SK: `${createdAt}#${jobId}` });\nfunction unused({',
      ]),
      saw: /of 3,000 writes to the table were throttled/,
    },
  ],
  'send-again': [
    {
      what: 'nobody looks at what was not processed',
      change: instead('load.mjs', ['    return UnprocessedItems;', '    return UnprocessedItems && {};']),
      saw: /[\d,]+ of 3,000 items arrived, without any error/,
      rule: /look at UnprocessedItems/,
    },
    {
      what: 'a retry storm',
      change: instead('load.mjs', ['await pause(wait)', 'await pause(40)']),
      saw: /[\d,]+ BatchWriteItem used .* in \d/,
      rule: /find the same empty bucket/,
    },
    {
      what: 'one PutItem for each',
      change: () => ({
        'load.mjs': `export async function loadAll(db, items, pause) {
  for (const Item of items)
    for (;;)
      try {
        await db.putItem({ TableName: 'app', Item });
        break;
      } catch {
        await pause(1000);
      }
}`,
      }),
      saw: /[\d,]+ PutItem used/,
      rule: /up to 25 items in one request/,
    },
    {
      what: 'the exception is not caught',
      change: (_, start) => start,
      saw: /loadAll failed at line \d+ of load.mjs: ProvisionedThroughputExceededException/,
      rule: /not lost: wait a little/,
    },
    {
      what: 'batches of fifty',
      change: (_, start) => ({ 'load.mjs': start['load.mjs']!.replaceAll('25', '50') }),
      saw: /^.{0,700}$/s,
      rule: /at most 25 items/,
    },
  ],
};
