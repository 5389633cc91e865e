// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are passages of the learner's files
import { instead, type WrongAnswers } from './wrong-answer.ts';

export const correctness: WrongAnswers = {
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
    {
      what: 'a lock in the process',
      change: (_, start) => ({
        'tickets.mjs': `${start['tickets.mjs']!.replace('export async function buy', 'async function sell')}
let before = Promise.resolve();
export function buy(...all) {
  const answer = before.then(() => sell(...all));
  before = answer.catch(() => {});
  return answer;
}`,
      }),
      saw: /were told 'sold', and there were 3 tickets/,
      rule: /whichever process sends it/,
    },
    {
      what: 'every error means sold out',
      change: (solution) => ({
        'tickets.mjs': solution['tickets.mjs']!.replace(/if \(error.name.*throw error;/, ''),
      }),
      saw: /failed with InternalServerError and wrote nothing; buy answered "sold out"/,
      rule: /Look at error.name/,
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
    {
      what: 'the claim is taken back when the user fails',
      change: () => ({
        'accounts.mjs': `export async function register(db, { userId, email }) {
  const Key = { PK: { S: 'EMAIL#' + email }, SK: { S: 'CLAIM' } };
  const condition = { TableName: 'app', ConditionExpression: 'attribute_not_exists(PK)' };
  try {
    await db.putItem({ ...condition, Item: { ...Key, userId: { S: userId } } });
  } catch (error) {
    if (error.name !== 'ConditionalCheckFailedException') throw error;
    return 'email taken';
  }
  try {
    await db.putItem({ ...condition, Item: { PK: { S: 'USER#' + userId }, SK: { S: 'PROFILE' }, email: { S: email } } });
  } catch (error) {
    await db.deleteItem({ TableName: 'app', Key });
    throw error;
  }
  return 'registered';
}`,
      }),
      saw: /killed after 1 request\. Now the address is claimed for a user that does not exist/,
      rule: /Whoever undoes/,
    },
    {
      what: 'every error means that the address is taken',
      change: (solution) => ({
        'accounts.mjs': `${solution['accounts.mjs']!.replace('export async function register', 'async function ask')}
export const register = (db, user) => ask(db, user).catch(() => 'email taken');`,
      }),
      saw: /wrote nothing; register answered "email taken"/,
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
    {
      what: 'the move is taken back when the entry fails',
      change: instead(
        'cases.mjs',
        [
          'await db.transactWriteItems({\n      TransactItems: [\n        {\n          Update: {',
          'await db.updateItem({',
        ],
        [
          `          },
        },
        { Put: { TableName: 'app', Item: event, ConditionExpression: 'attribute_not_exists(PK)' } },
      ],
    });`,
          `});
    try {
      await db.putItem({ TableName: 'app', Item: event });
    } catch (error) {
      await db.updateItem({
        TableName: 'app',
        Key,
        UpdateExpression: 'SET #state = :from, version = :version',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':from': { S: from }, ':version': Item.version },
      });
      throw error;
    }`,
        ],
        ["'TransactionCanceledException'", "'ConditionalCheckFailedException'"],
      ),
      saw: /killed after 2 requests\. The case has version 1, and its history 0 entries/,
      rule: /Whoever undoes/,
    },
    {
      what: 'the state without the version',
      change: instead(
        'cases.mjs',
        ['#state = :from AND version = :version', '#state = :from'],
        ["              ':version': Item.version,\n", ''],
        [", ConditionExpression: 'attribute_not_exists(PK)'", ''],
      ),
      saw: /move answered "moved", and now it is in APPROVED with version 1/,
      rule: /The state is the same again/,
    },
    {
      what: 'entries with the old number',
      change: instead('cases.mjs', ['String(next).padStart', 'String(next - 1).padStart']),
      saw: /The history reads EVENT#0000 DRAFT → REVIEW/,
    },
    {
      what: 'every error means too late',
      change: (solution) => ({
        'cases.mjs': solution['cases.mjs']!.replace(
          /if \(error.name[^;]*;\s*throw error;/,
          "return 'too late';",
        ),
      }),
      saw: /wrote nothing; move answered "too late"/,
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
      saw: /The same command a day later, after another one of 5, answered .*; of 100 the account has 35 left/,
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
    {
      what: 'a list of commands in the account',
      change: () => ({
        'pay.mjs': `export async function pay(db, { commandId, account, amount }) {
  try {
    await db.updateItem({
      TableName: 'app',
      Key: { PK: { S: 'ACCOUNT#' + account }, SK: { S: 'BALANCE' } },
      UpdateExpression: 'SET balance = balance - :amount ADD done :ids',
      ConditionExpression: 'balance >= :amount AND NOT contains(done, :id)',
      ExpressionAttributeValues: { ':amount': { N: String(amount) }, ':ids': { SS: [commandId] }, ':id': { S: commandId } },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    return { commandId, amount };
  } catch (error) {
    if (error.name !== 'ConditionalCheckFailedException') throw error;
    return error.Item?.done?.SS?.includes(commandId) ? { commandId, amount } : { commandId, refused: true };
  }
}`,
      }),
      saw: /The item of the account grew from \d+ to \d+ characters/,
      rule: /one for each command/,
    },
    {
      what: 'the last command only',
      change: () => ({
        'pay.mjs': `export async function pay(db, { commandId, account, amount }) {
  const Key = { PK: { S: 'ACCOUNT#' + account }, SK: { S: 'BALANCE' } };
  try {
    await db.updateItem({
      TableName: 'app',
      Key,
      UpdateExpression: 'SET balance = balance - :amount, lastCommand = :id',
      ConditionExpression: 'balance >= :amount AND (attribute_not_exists(lastCommand) OR lastCommand <> :id)',
      ExpressionAttributeValues: { ':amount': { N: String(amount) }, ':id': { S: commandId } },
    });
    return { commandId, amount };
  } catch (error) {
    if (error.name !== 'ConditionalCheckFailedException') throw error;
    const { Item } = await db.getItem({ TableName: 'app', Key });
    return Item.lastCommand?.S === commandId ? { commandId, amount } : { commandId, refused: true };
  }
}`,
      }),
      saw: /of 100 the account has 35 left/,
      rule: /the last command only until the next/,
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
      what: 'a token of ten minutes',
      change: () => ({
        'consumer.mjs': `export const handle = (db, { eventId, customer }) =>
  db.transactWriteItems({
    ClientRequestToken: eventId,
    TransactItems: [
      {
        Update: {
          TableName: 'app',
          Key: { PK: { S: 'CUST#' + customer }, SK: { S: 'SUMMARY' } },
          UpdateExpression: 'ADD orders :one',
          ExpressionAttributeValues: { ':one': { N: '1' } },
        },
      },
    ],
  });`,
      }),
      saw: /an hour later\. Of ten orders the summary counts 14/,
      rule: /forgotten after ten minutes/,
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
    {
      what: 'all errors are caught',
      change: (solution) => ({
        'consumer.mjs': `${solution['consumer.mjs']!.replace('export async function handle', 'async function count')}
export const handle = (db, record) => count(db, record).catch(() => {});`,
      }),
      saw: /TransactWriteItems failed once, .* the summary counts none/,
      rule: /must be thrown on/,
    },
  ],
};
