// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are passages of the learner's files
import { instead, type WrongAnswers } from './wrong-answer.ts';

export const indexCost: WrongAnswers = {
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
    {
      what: 'an async question',
      change: instead('index.mjs', ['export function question', 'export async function question']),
      saw: /question\('user-by-email', …\) is a promise/,
    },
    {
      what: 'a status that begins another',
      change: () => ({
        'index.mjs': `export const indexKeys = (kind, t) =>
  kind === 'order'
    ? { GSI1PK: 'USER#' + t.userId, GSI1SK: t.status + t.placedAt }
    : { GSI1PK: 'EMAIL#' + t.email, GSI1SK: 'USER' };
export const question = (name, given) => ({
  TableName: 'app',
  IndexName: 'GSI1',
  KeyConditionExpression: name === 'user-by-email' ? 'GSI1PK = :a' : 'GSI1PK = :a AND begins_with(GSI1SK, :b)',
  ExpressionAttributeValues:
    name === 'user-by-email'
      ? { ':a': { S: 'EMAIL#' + given.email } }
      : { ':a': { S: 'USER#' + given.userId }, ':b': { S: given.status } },
});`,
      }),
      saw: /read 6 items and returned 6, for .*, and 3 belong to the answer/,
      rule: /the beginning of another/,
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
      what: 'a number that lasts for the check and no longer',
      change: instead('capacity.json', ['"tableWriteUnits": 45', '"tableWriteUnits": 38']),
      saw: /Each second takes 40 units of the table and gives it 38: after 95 minutes nothing is left/,
      rule: /Saved capacity is for peaks/,
    },
    {
      what: 'more than enough',
      change: instead('capacity.json', ['"tableWriteUnits": 45', '"tableWriteUnits": 400']),
      saw: /Together these are 445 units/,
    },
  ],
};
