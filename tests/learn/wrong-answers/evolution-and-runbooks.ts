// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are passages of the learner's files
import { instead, type WrongAnswers } from './wrong-answer.ts';

export const evolutionAndRunbooks: WrongAnswers = {
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
    {
      what: 'another sort key',
      change: instead('backfill.mjs', ["':sort': PK,", "':sort': SK,"]),
      saw: /lies in the index with GSI1SK = DOC/,
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
      saw: /30 minutes and a second after its start the session still lets "user3" in/,
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
    {
      what: 'seconds for minutes',
      change: (solution) => ({
        'sessions.mjs': solution['sessions.mjs']!.replace('minutes * 60', 'minutes'),
      }),
      saw: /29 minutes after its start, find returned undefined/,
      rule: /The stored expiresAt is 30 seconds after the start/,
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
      what: 'a bad moment is not waited for',
      change: instead('consumer.mjs', ['await pause(wait);', '']),
      saw: /handle was called 1,000 times/,
      rule: /await pause/,
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
    {
      what: 'another period',
      change: instead('alarm.json', ['{', '{ "Period": 300,']),
      saw: /Period is 300/,
    },
    {
      what: 'a threshold that is never reached',
      change: (solution) => ({
        'alarm.json': JSON.stringify({ ...JSON.parse(solution['alarm.json']!), Threshold: 1e6 }),
      }),
      saw: /It never rings/,
      rule: /fewer throttles than 1000000/,
    },
  ],
};
