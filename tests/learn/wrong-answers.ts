// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are passages of the learner's files
type Files = Readonly<Record<string, string>>;

/** An answer that somebody might give, as a change of the solution, and what it must be told. */
export interface WrongAnswer {
  readonly what: string;
  readonly change: (solution: Files, start: Files) => Files;
  readonly saw: RegExp;
  readonly rule?: RegExp;
}

/** Replaces a passage of the solution. The passage must be there, or the test would try the solution itself. */
function instead(file: string, ...pairs: readonly (readonly [passage: string, by: string])[]) {
  return (solution: Files): Files => {
    let text = solution[file]!;
    for (const [passage, by] of pairs) {
      if (!text.includes(passage)) throw new Error(`${file} has no passage ${passage}`);
      text = text.replace(passage, () => by);
    }
    return { ...solution, [file]: text };
  };
}

export const wrongAnswers: Readonly<Record<string, readonly WrongAnswer[]>> = {
  'read-the-bill': [
    {
      what: 'a filter saves money',
      change: instead('prediction.json', ['"itemsRead": 40', '"itemsRead": 4']),
      saw: /You expect 4 items to be read.*1 Query read 40 items and returned 4, for 5 read units/,
      rule: /filter only drops items afterwards/,
    },
    {
      what: 'each item is rounded up',
      change: instead('prediction.json', ['"readUnits": 5 ', '"readUnits": 20 ']),
      saw: /You expect 20 read units/,
      rule: /do not round each item up/,
    },
    {
      what: 'a comma too many',
      change: instead('prediction.json', ['122.5 }', '122.5 },']),
      saw: /not JSON: something is wrong near line 6/,
    },
  ],
  'pattern-list': [
    {
      what: 'a status that the caller gives',
      change: instead('patterns.mjs', ["where: { state: 'UNPAID' }", "by: 'state'"]),
      saw: /R4: the caller must know state/,
      rule: /never varies belongs into where/,
    },
    {
      what: 'the oldest visits',
      change: instead('patterns.mjs', ["'startsAt desc'", "'startsAt'"]),
      saw: /R3: its order is startsAt asc/,
      rule: /nothing sorts afterwards/,
    },
    {
      what: 'a state that does not exist',
      change: instead('patterns.mjs', ["state: 'UNPAID' }", "state: 'unpaid' }"]),
      saw: /R4: its where is state = "unpaid", and the unpaid bills have state = "UNPAID"/,
    },
    {
      what: 'a pattern that is a plain object',
      change: instead('patterns.mjs', ['writes: {},', "writes: { W1: { does: 'pay' } },"]),
      saw: /write W1 \(schema\): lacks "steps"/,
    },
    {
      what: 'a name that is misspelt',
      change: instead('patterns.mjs', ["by: 'doctorId'", "by: 'doctor'"]),
      saw: /clinic failed at line \d+ of patterns.mjs/,
    },
  ],
  'measure-the-traffic': [
    {
      what: 'the average',
      change: instead('inventory.json', ['"readsPerSecondAtPeak": 36', '"readsPerSecondAtPeak": 14']),
      saw: /readsPerSecondAtPeak is 14/,
      rule: /14 is the average of the minute/,
    },
    {
      what: 'requests instead of units',
      change: instead('inventory.json', ['["t12"]', '[]']),
      saw: /You name no tenant. The busiest second, played ten times over, throttled t12 \d+ times\./,
      rule: /Units count, not requests/,
    },
  ],
  'one-query': [
    {
      what: 'a filter',
      change: (_, start) => start,
      saw: /1 Query read 400 items and returned 12, for 2\d(\.\d)? read units/,
      rule: /decided by the key condition alone/,
    },
    {
      what: 'a range that ends with the last day',
      change: instead(
        'query.mjs',
        ['begins_with(SK, :month)', 'SK BETWEEN :low AND :high'],
        [
          "':month': { S: `ORDER#${month}` },",
          "':low': { S: `ORDER#${month}-01` }, ':high': { S: `ORDER#${month}-30` },",
        ],
      ),
      saw: /1 order of June is missing: ORDER#2026-06-30/,
      rule: /a text that goes on is greater/,
    },
    {
      what: 'oldest first',
      change: instead('query.mjs', ['ScanIndexForward: false,', '']),
      saw: /the newest is ORDER#2026-06-30/,
    },
    {
      what: 'an async function',
      change: instead('query.mjs', ['export function', 'export async function']),
      saw: /ordersOfMonth returned a promise/,
    },
    {
      what: 'values without their types',
      change: instead('query.mjs', ['{ S: `CUST#${customer}` }', '`CUST#${customer}`']),
      saw: /SerializationException/,
      rule: /carries its type: \{ S: 'text' \}/,
    },
    {
      what: 'a value that no expression uses',
      change: instead('query.mjs', [' AND begins_with(SK, :month)', '']),
      saw: /ValidationException.*unused in expressions/,
      rule: /request itself is wrong/,
    },
  ],
  'sorting-text': [
    {
      what: 'numbers without padding',
      change: instead('sort-key.mjs', [".padStart(3, '0')", '']),
      saw: /sensor \d+ at .* comes before/,
      rule: /'10' sorts before '9'/,
    },
    {
      what: 'an upper bound without the sensors',
      change: instead('sort-key.mjs', [
        '`${new Date(toMs).toISOString()}#999`',
        'new Date(toMs).toISOString()',
      ]),
      saw: /6 readings of \d+ are not between/,
      rule: /greater than its beginning/,
    },
    {
      what: 'two readings under one key',
      change: instead('sort-key.mjs', ["#${String(sensor).padStart(3, '0')}", '']),
      saw: /have the same key/,
    },
    {
      what: 'times without their milliseconds',
      change: instead('sort-key.mjs', [
        'new Date(at).toISOString()',
        'new Date(at).toISOString().slice(0, 19)',
      ]),
      saw: /sensor 9 at .*00\.250Z .* comes before sensor 11 at .*00\.001Z/,
    },
    {
      what: 'dates as Americans write them',
      change: (_, start) => start,
      saw: /comes before/,
      rule: /begins with the year/,
    },
  ],
  'one-screen': [
    {
      what: 'the whole collection',
      change: instead('keys.mjs', ['    Limit: 6,\n', '']),
      saw: /1 Query read 301 items/,
      rule: /Without Limit a Query reads the whole collection/,
    },
    {
      what: 'lines of their own',
      change: (_, start) => start,
      saw: /has 12 lines, and the answer holds 1 order\./,
      rule: /partition key of their order/,
    },
    {
      what: 'lines without padding',
      change: instead('keys.mjs', [".padStart(3, '0')", '']),
      saw: /The lines come as 1, 10, 11, 12, 2/,
    },
    {
      what: 'orders by number',
      change: instead('keys.mjs', ['ORDER#${thing.placedAt}#${thing.orderId}', 'ORDER#${thing.orderId}']),
      saw: /the newest orders are .*, and these came: /,
      rule: /by date/,
    },
  ],
  'page-to-the-end': [
    {
      what: 'one page only',
      change: (_, start) => start,
      saw: /16 orders are unpaid; unpaid returned \d+\. 1 Query/,
      rule: /reads 1 MB and stops/,
    },
    {
      what: 'an empty page is the end',
      change: instead(
        'pages.mjs',
        ['while (key !== undefined)', 'while (key !== undefined && answer.Items.length > 0)'],
        ['  let key;', '  let key;\n  let answer;'],
        ['const answer =', 'answer ='],
      ),
      saw: /unpaid returned \d+\. 2 Query/,
      rule: /may be empty although more follows/,
    },
    {
      what: 'a Scan for one customer',
      change: instead(
        'pages.mjs',
        ['db.query(', 'db.scan('],
        [
          "KeyConditionExpression: 'PK = :customer',\n      FilterExpression: 'paid = :no'",
          "FilterExpression: 'PK = :customer AND paid = :no'",
        ],
      ),
      saw: /A Scan reads the orders of all customers/,
    },
    {
      what: 'a loop without an end',
      change: instead('pages.mjs', ['      ExclusiveStartKey: key,\n', '']),
      saw: /made 150 requests and was not done/,
      rule: /pass LastEvaluatedKey on/,
    },
    {
      what: 'the first page again',
      change: instead('pages.mjs', [
        "    ExclusiveStartKey: cursor && JSON.parse(Buffer.from(cursor, 'base64url').toString()),\n",
        '',
      ]),
      saw: /Page 2 shows ORDER#00000 once more/,
    },
  ],
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
      what: 'the exception is not caught',
      change: (_, start) => start,
      saw: /loadAll failed at line \d+ of load.mjs: ProvisionedThroughputExceededException/,
      rule: /not lost: wait a little/,
    },
  ],
  'last-ticket': [
    {
      what: 'read, then write',
      change: (_, start) => start,
      saw: /Run \d+: \d were told 'sold', and there were 3 tickets. In this order: \w+ GetItem, /,
      rule: /The write itself must check/,
    },
    {
      what: 'a version that is not read again',
      change: (_, start) => ({
        'tickets.mjs': start['tickets.mjs']!.replace(
          "UpdateExpression: 'SET available = :left',",
          "UpdateExpression: 'SET available = :left',\n    ConditionExpression: 'available = :seen',",
        )
          .replace("':left':", "':seen': Item.available, ':left':")
          .replace("  return 'sold';", "  return 'sold';\n  } catch { return 'sold out'; }")
          .replace('  await db.updateItem', '  try {\n  await db.updateItem'),
      }),
      saw: /Run \d+: \d tickets were sold and \d are left/,
      rule: /does not mean that nothing is left/,
    },
    {
      what: 'the exception is not caught',
      change: instead('tickets.mjs', [
        "if (error.name !== 'ConditionalCheckFailedException') throw error;",
        'throw error;',
      ]),
      saw: /buy failed at line \d+ of tickets.mjs: ConditionalCheckFailedException/,
      rule: /an answer, not an accident/,
    },
  ],
  'unique-email': [
    {
      what: 'look, then write',
      change: (_, start) => start,
      saw: /Run \d+: \d of three were told 'registered'/,
      rule: /leaves a gap/,
    },
    {
      what: 'two writes with conditions',
      change: (_, start) => ({
        'accounts.mjs': start['accounts.mjs']!.replace(
          'userId: { S: userId } } });',
          "userId: { S: userId } }, ConditionExpression: 'attribute_not_exists(PK)' }).catch(() => { taken = true; });\n  if (taken) return 'email taken';",
        ).replace('const claim =', 'let taken = false;\n  const claim ='),
      }),
      saw: /The write of the user failed once. Now the address is claimed for a user that does not exist/,
      rule: /belongs into one transaction/,
    },
    {
      what: 'a transaction without conditions',
      change: instead(
        'accounts.mjs',
        [", ConditionExpression: 'attribute_not_exists(PK)' } },\n        {", ' } },\n        {'],
        ["Item: claim, ConditionExpression: 'attribute_not_exists(PK)'", 'Item: claim'],
      ),
      saw: /the second with the same address "registered"/,
    },
  ],
  'state-machine': [
    {
      what: 'no condition and no history',
      change: (_, start) => start,
      saw: /the history has 0 entries/,
    },
    {
      what: 'only the read is trusted',
      change: instead(
        'cases.mjs',
        ["            ConditionExpression: '#state = :from AND version = :version',\n", ''],
        ["              ':from': { S: from },\n", ''],
        ["              ':version': Item.version,\n", ''],
        [", ConditionExpression: 'attribute_not_exists(PK)'", ''],
      ),
      saw: /Run \d+: 2 of two reviewers were told 'moved'/,
      rule: /What was read is old/,
    },
    {
      what: 'any step is allowed',
      change: instead('cases.mjs', ["  if (!steps[from]?.includes(to)) return 'not allowed';\n", '']),
      saw: /APPROVED to DRAFT answered "moved"/,
    },
  ],
  'lost-answer': [
    {
      what: 'no memory',
      change: (_, start) => start,
      saw: /Of 100 the account has 40 left, and one payment was 30/,
      rule: /needs a memory/,
    },
    {
      what: 'a token of ten minutes',
      change: instead(
        'pay.mjs',
        [
          "{ Put: { TableName: 'app', Item: command, ConditionExpression: 'attribute_not_exists(PK)' } },",
          '',
        ],
        ['TransactItems: [', 'ClientRequestToken: commandId,\n      TransactItems: ['],
        [
          'const [remembered, balance] = error.CancellationReasons ?? [];',
          'const [balance] = error.CancellationReasons ?? [];\n    const remembered = undefined;',
        ],
      ),
      saw: /The same command a day later answered .*; of 100 the account has 40 left/,
      rule: /remembered for ten minutes/,
    },
    {
      what: 'look for the command, then write',
      change: instead(
        'pay.mjs',
        [", ConditionExpression: 'attribute_not_exists(PK)'", ''],
        [
          '  try {',
          "  const { PK, SK } = command;\n  const { Item } = await db.getItem({ TableName: 'app', Key: { PK, SK }, ConsistentRead: true });\n  if (Item !== undefined) return { commandId, amount };\n  try {",
        ],
      ),
      saw: /Run \d+: .* the account has 40 left/,
      rule: /leaves a gap/,
    },
  ],
  'seen-twice': [
    {
      what: 'a memory in the process',
      change: (_, start) => start,
      saw: /crashed after 7 records .* the summary counts 14/,
      rule: /gone when it ends/,
    },
    {
      what: 'no memory',
      change: (_, start) => ({
        'consumer.mjs': start['consumer.mjs']!.replace('if (seen.has(eventId)) return;', ''),
      }),
      saw: /seventeen deliveries: the summary says 17/,
      rule: /at least once/,
    },
    {
      what: 'the marker first, the count afterwards',
      change: (_, start) => ({
        'consumer.mjs': start['consumer.mjs']!.replace(
          'if (seen.has(eventId)) return;',
          "try { await db.putItem({ TableName: 'app', Item: { PK: { S: `EVENT#${eventId}` }, SK: { S: 'SEEN' } }, ConditionExpression: 'attribute_not_exists(PK)' }); } catch (error) { if (error.name === 'ConditionalCheckFailedException') return; throw error; }",
        ),
      }),
      saw: /Each PutItem failed once after it was done.* the summary counts|Each UpdateItem failed once, .* the summary counts/,
      rule: /one transaction/,
    },
    {
      what: 'a list of all records in the summary',
      change: () => ({
        'consumer.mjs': `export const handle = (db, { eventId, customer }) =>
  db.updateItem({
    TableName: 'app',
    Key: { PK: { S: 'CUST#' + customer }, SK: { S: 'SUMMARY' } },
    UpdateExpression: 'ADD orders :one, seen :ids',
    ConditionExpression: 'NOT contains(seen, :id)',
    ExpressionAttributeValues: { ':one': { N: '1' }, ':ids': { SS: [eventId] }, ':id': { S: eventId } },
  }).catch((error) => { if (error.name !== 'ConditionalCheckFailedException') throw error; });`,
      }),
      saw: /The summary grew with the records: after ten of them it is \{.*"ann-9"/,
      rule: /one marker for each record/,
    },
  ],
  'sparse-queue': [
    {
      what: 'only the status changes',
      change: (solution, start) => ({ 'jobs.mjs': start['jobs.mjs']!, ...(solution && {}) }),
      saw: /10 jobs are open, and the index holds 50 entries\./,
      rule: /REMOVE GSI1PK, GSI1SK/,
    },
    {
      what: 'the entry moves to DONE',
      change: instead('jobs.mjs', [
        'SET #status = :done REMOVE GSI1PK, GSI1SK',
        'SET #status = :done, GSI1PK = :done',
      ]),
      saw: /the index holds 50 entries, 40 of them under DONE/,
      rule: /only moves the entry/,
    },
    {
      what: 'the job is deleted',
      change: instead('jobs.mjs', [
        "await db.updateItem({\n    TableName: 'app',\n    Key: { PK: { S: `JOB#${jobId}` }, SK: { S: 'JOB' } },\n    UpdateExpression: 'SET #status = :done REMOVE GSI1PK, GSI1SK',\n    ExpressionAttributeNames: { '#status': 'status' },\n    ExpressionAttributeValues: { ':done': { S: 'DONE' } },\n  });",
        "await db.deleteItem({ TableName: 'app', Key: { PK: { S: `JOB#${jobId}` }, SK: { S: 'JOB' } } });",
      ]),
      saw: /gone from the table/,
    },
  ],
  'narrow-projection': [
    {
      what: 'everything',
      change: (_, start) => start,
      saw: /for \d+ read units. The budget is 30/,
      rule: /costs as much as the item/,
    },
    {
      what: 'keys only',
      change: () => ({ 'index.json': '{ "ProjectionType": "KEYS_ONLY" }' }),
      saw: /no title and no price and no thumbnail. Each list of 20 would need 20 GetItem more/,
    },
    {
      what: 'the views too',
      change: instead('index.json', ['"thumbnail"', '"thumbnail", "views"']),
      saw: /The 200 views cost the index 200 write units, the 10 prices 10 write units/,
    },
    {
      what: 'INCLUDE without a list',
      change: () => ({ 'index.json': '{ "ProjectionType": "INCLUDE" }' }),
      saw: /CreateTable refuses this projection: ValidationException/,
    },
  ],
  'one-index': [
    {
      what: 'the status is not in the key',
      change: instead(
        'index.mjs',
        ['USER#${thing.userId}#${thing.status}', 'USER#${thing.userId}'],
        ['USER#${given.userId}#${given.status}', 'USER#${given.userId}'],
      ),
      saw: /1 Query read 9 items and returned 9, .*, and 3 belong to the answer/,
      rule: /a status in the partition key/,
    },
    {
      what: 'the relation is not turned round',
      change: instead('index.mjs', [
        'GSI1PK: `ORG#${thing.orgId}`, GSI1SK: `USER#${thing.userId}`',
        'GSI1PK: `USER#${thing.userId}`, GSI1SK: `ORG#${thing.orgId}`',
      ]),
      saw: /4 of 4 are missing/,
    },
    {
      what: 'oldest first',
      change: instead('index.mjs', [', ScanIndexForward: false', '']),
      saw: /in another order/,
    },
  ],
  'back-pressure': [
    {
      what: 'a small index needs little',
      change: (_, start) => start,
      saw: /After \d+ seconds a write to the table was throttled, because the index has nothing left of its 5 units/,
    },
    {
      what: 'one write for each change',
      change: instead('capacity.json', ['"indexWriteUnits": 45', '"indexWriteUnits": 20']),
      saw: /After (?:299|3\d\d) seconds .* the index has nothing left of its 20 units/,
      rule: /is written twice/,
    },
    {
      what: 'more than enough',
      change: instead('capacity.json', ['"tableWriteUnits": 45', '"tableWriteUnits": 400']),
      saw: /Together these are 445 units/,
    },
  ],
  backfill: [
    {
      what: 'the whole item is put back',
      change: (_, start) => start,
      saw: /the program set \d+ documents to DONE; \d+ of them are \w+ again/,
      rule: /Update only the two attributes/,
    },
    {
      what: 'no condition',
      change: instead(
        'backfill.mjs',
        [
          "      ConditionExpression: 'attribute_not_exists(GSI1PK) AND #status = :seen',\n      ExpressionAttributeNames: { '#status': 'status' },\n",
          '',
        ],
        [", ':seen': status", ''],
      ),
      saw: /has the status DONE, and lies in the index under STATUS#/,
      rule: /what you have read/,
    },
    {
      what: 'at full speed',
      change: instead('backfill.mjs', ['    await pause(1000);\n', '']),
      saw: /It used [\d,]+ write units within one second/,
    },
    {
      what: 'one page only',
      change: instead('backfill.mjs', ['key = page.LastEvaluatedKey;', 'key = undefined;']),
      saw: /280 documents are not in the index/,
    },
  ],
  'order-of-steps': [
    {
      what: 'readers move before the index is ready',
      change: (_, start) => start,
      saw: /After read-new a reader asked the index NEW and was refused/,
      rule: /cannot be read/,
    },
    {
      what: 'readers move before the backfill',
      change: () => ({
        'plan.json': JSON.stringify([
          'create-index',
          'wait-until-active',
          'write-both',
          'read-new',
          'backfill',
          'compare-counts',
          'stop-writing-old',
          'remove-old',
        ]),
      }),
      saw: /After read-new a reader asked the index NEW for the documents of \w+: \d+ of \d+ were missing/,
      rule: /need the backfill before anybody reads NEW/,
    },
    {
      what: 'the backfill before the program writes both',
      change: () => ({
        'plan.json': JSON.stringify([
          'create-index',
          'wait-until-active',
          'backfill',
          'write-both',
          'compare-counts',
          'read-new',
          'stop-writing-old',
          'remove-old',
        ]),
      }),
      saw: /OLD holds \d+ documents and NEW \d+: the plan stops here/,
    },
    {
      what: 'old keys go while they are read',
      change: () => ({
        'plan.json': JSON.stringify([
          'create-index',
          'wait-until-active',
          'write-both',
          'backfill',
          'compare-counts',
          'remove-old',
          'read-new',
          'stop-writing-old',
        ]),
      }),
      saw: /After remove-old a reader asked the index OLD/,
      rule: /when nobody reads them/,
    },
    {
      what: 'a step that nobody knows',
      change: () => ({ 'plan.json': '["create-indx"]' }),
      saw: /no step "create-indx". Did you mean create-index/,
    },
  ],
  'expired-is-gone': [
    {
      what: 'nobody looks at the time',
      change: instead('sessions.mjs', [
        'if (Item === undefined || Number(Item.expiresAt.N) <= nowMs / 1000) return undefined;',
        'if (Item === undefined) return undefined;',
      ]),
      saw: /31 minutes after its start the session still lets "user3" in/,
      rule: /not at it/,
    },
    {
      what: 'milliseconds',
      change: instead(
        'sessions.mjs',
        ['Math.floor(nowMs / 1000) + minutes * 60', 'nowMs + minutes * 60_000'],
        ['<= nowMs / 1000', '<= nowMs'],
      ),
      saw: /20 items are still there, with expiresAt = \{"N":"\d{13}"\}/,
      rule: /in milliseconds/,
    },
  ],
  'forty-percent': [
    {
      what: 'twice the capacity',
      change: (_, start) => start,
      saw: /With raise-capacity, [\d,]+ of 1,280 writes were throttled again\. SHIPMENT#881 took/,
      rule: /whatever the table has/,
    },
    {
      what: 'longer pauses between retries',
      change: instead('diagnosis.json', ['"shard-key"', '"back-off"']),
      saw: /With back-off, \d+ of 1,280 writes were throttled again/,
      rule: /leaves the key as hot as it was/,
    },
    {
      what: 'the right fix for the wrong reason',
      change: instead('diagnosis.json', ['"hot-key"', '"under-provisioned"']),
      saw: /The report names under-provisioned/,
    },
  ],
  'poison-record': [
    {
      what: 'the same batch for ever',
      change: (_, start) => start,
      saw: /handle was called 1,000 times/,
      rule: /does not get better/,
    },
    {
      what: 'one by one',
      change: () => ({
        'consumer.mjs':
          'export async function consume(records, { handle, bury }) {\n  for (const record of records) await handle([record]).catch(() => bury(record));\n}\n',
      }),
      saw: /handle was called 100 times for 100 records/,
      rule: /gives up the batch/,
    },
    {
      what: 'a bad moment is the fault of the records',
      change: instead('consumer.mjs', [
        'if (!error.retryable) throw error;',
        'if (wait >= 200) throw error;',
      ]),
      saw: /Record \d+ was buried, and nothing is wrong with it/,
      rule: /says nothing about the records/,
    },
    {
      what: 'the second half first',
      change: instead(
        'consumer.mjs',
        ['await handlePart(part.slice(0, middle));', ''],
        [
          'await handlePart(part.slice(middle));',
          'await handlePart(part.slice(middle));\n      await handlePart(part.slice(0, middle));',
        ],
      ),
      saw: /was handled after a later one/,
    },
  ],
  'first-alarm': [
    {
      what: 'consumption',
      change: (_, start) => ({ 'alarm.json': start['alarm.json']!.replace('60000', '2000') }),
      saw: /It rings at 20:\d\d: traffic is high, and every write succeeds/,
      rule: /what users feel/,
    },
    {
      what: 'one bad minute is enough',
      change: instead('alarm.json', ['"DatapointsToAlarm": 3', '"DatapointsToAlarm": 1']),
      saw: /It rings at 20:17, although/,
    },
    {
      what: 'it waits too long',
      change: instead(
        'alarm.json',
        ['"EvaluationPeriods": 5', '"EvaluationPeriods": 10'],
        ['"DatapointsToAlarm": 3', '"DatapointsToAlarm": 10'],
      ),
      saw: /It rings at 20:19; the throttles began at 20:10/,
    },
    {
      what: 'missing data means nothing',
      change: instead('alarm.json', ['notBreaching', 'ignore']),
      saw: /At 20:35, 13 minutes after the last throttle, the alarm is in ALARM/,
      rule: /have no datapoint/,
    },
  ],
};
