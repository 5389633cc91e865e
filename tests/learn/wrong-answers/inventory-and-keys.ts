// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are passages of the learner's files
import { instead, type WrongAnswers } from './wrong-answer.ts';

export const inventoryAndKeys: WrongAnswers = {
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
      saw: /"state" of Bill holds UNPAID, PAID, so it is never "unpaid"/,
    },
    {
      what: 'the other state',
      change: instead('patterns.mjs', ["state: 'UNPAID' }", "state: 'PAID' }"]),
      saw: /R4: its where is state = "PAID", and the unpaid bills have state = "UNPAID"/,
    },
    {
      what: 'a pattern that is a plain object',
      change: instead('patterns.mjs', ['writes: {},', "writes: { W1: { does: 'pay' } },"]),
      saw: /write W1 \(schema\): needs "steps"/,
    },
    {
      what: 'a name that is misspelt',
      change: instead('patterns.mjs', ["by: 'doctorId'", "by: 'doctor'"]),
      saw: /clinic failed at line \d+ of patterns.mjs/,
    },
    {
      what: 'a question that nobody asks',
      change: instead('patterns.mjs', [
        '      R4: list(',
        "      R5: get(bill, { does: 'a bill', by: 'billId', peak: 1 }),\n      R4: list(",
      ]),
      saw: /Your list has R5 as well/,
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
      saw: /You name no tenant. The busiest second, played ten times over, throttled t12 \d+ times, and nobody else\./,
      rule: /Units count, not requests/,
    },
    {
      what: 'the share of all requests',
      change: instead('inventory.json', ['0.456', '0.375']),
      saw: /shareOfHottestTenant is 0\.375; 894 of 1960 writes are of t07/,
      rule: /count writes only/,
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
      what: 'a command of the SDK',
      change: instead(
        'query.mjs',
        ['  return {\n', '  return new Command({\n'],
        ['  };\n}', '  });\n}\nclass Command {\n  constructor(input) {\n    this.input = input;\n  }\n}'],
      ),
      saw: /ordersOfMonth returned a command of the SDK/,
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
    {
      what: 'a month of thirty days and a bit',
      change: instead(
        'query.mjs',
        ['begins_with(SK, :month)', 'SK BETWEEN :low AND :high'],
        [
          "':month': { S: `ORDER#${month}` },",
          "':low': { S: `ORDER#${month}-01` }, ':high': { S: `ORDER#${month}-31` },",
        ],
      ),
      saw: /For the month 2026-05 .* ORDER#2026-05-31#o-\d+ is missing/,
      rule: /Not every month has 30 days/,
    },
    {
      what: 'the newest twelve',
      change: instead(
        'query.mjs',
        ['begins_with(SK, :month)', 'SK >= :month'],
        ['  return {', '  return { Limit: 12,'],
      ),
      saw: /For the month 2026-02 it returned 12 orders, such as/,
      rule: /bound the month at both ends/,
    },
    {
      what: 'an attribute that is no key',
      change: instead('query.mjs', ['begins_with(SK, :month)', 'begins_with(placedOn, :month)']),
      saw: /missed key schema element/,
      rule: /names the key attributes/,
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
      saw: /\d+ readings? of \d+ (is|are) not between/,
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
    {
      what: 'an upper bound without the highest sensor',
      change: (solution) => ({
        'sort-key.mjs': `${solution['sort-key.mjs']!.replace('export function bounds', 'function wide')}
export function bounds(from, to) {
  return [wide(from, to)[0], sortKey({ at: to, sensor: 119 })];
}`,
      }),
      saw: /sensor 120 at/,
      rule: /greater than the last moment with any sensor/,
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
    {
      what: 'orders that are known by their time alone',
      change: (solution) => ({
        'keys.mjs': solution['keys.mjs']!.replace(/(ORDER#\$\{thing\.placedAt\})#\$\{thing\.orderId\}/, '$1'),
      }),
      saw: /An order has the key .* which an order has already/,
      rule: /identity of an item/,
    },
    {
      what: 'all customers in one collection',
      change: () => ({
        'keys.mjs': `export const keysOf = (kind, thing) =>
  [{ PK: 'SHOP', SK: [kind, thing.customerId, thing.placedAt, thing.orderId, thing.line].join('#') }];
export const customerScreen = () => ({});
export const orderScreen = () => ({});`,
      }),
      saw: /All customers lie under the partition key SHOP/,
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
    {
      what: 'a cursor that only this process knows',
      change: (solution) => ({
        'pages.mjs': `${solution['pages.mjs']!.replace('export async function page', 'async function whole')}
const known = new Map();
export async function page(db, customer, cursor) {
  const answer = await whole(db, customer, known.get(cursor));
  if (answer.cursor === undefined) return answer;
  known.set(String(known.size), answer.cursor);
  return { ...answer, cursor: String(known.size - 1) };
}`,
      }),
      saw: /Page 2 shows ORDER#00000 once more/,
      rule: /another process may answer/,
    },
    {
      what: 'pages of another size',
      change: instead('pages.mjs', ['Limit: 25', 'Limit: 24']),
      saw: /Page 1 has 24 items, and a cursor for more/,
    },
  ],
};
