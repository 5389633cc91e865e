import { meetsCondition } from '../../src/expressions/evaluate-condition.ts';
import { ParsedExpressions } from '../../src/expressions/parsed-cache.ts';
import { readExpressions } from '../../src/expressions/request-expressions.ts';
import { DynamoError } from '../../src/model/errors.ts';
import { readItem } from '../../src/model/values/read-attribute-value.ts';

/**
 * What a condition costs beside what its item costs anyway. Run it with
 * `node --import tsx benchmarks/micro/conditions.ts`.
 */

const json = JSON.stringify({
  pk: { S: 'CUST#0f8fad5b-d9cb-469f-a165-70867728950e' },
  sk: { S: 'ORDER#2026-11-02T10:15:00Z' },
  status: { S: 'SHIPPED' },
  total: { N: '129.95' },
  version: { N: '17' },
  lines: {
    L: [{ M: { sku: { S: 'A-100' }, count: { N: '2' } } }, { M: { sku: { S: 'B-2' }, count: { N: '1' } } }],
  },
});

const input = {
  ConditionExpression: 'attribute_exists(pk) AND #v = :v',
  ExpressionAttributeNames: { '#v': 'version' },
  ExpressionAttributeValues: { ':v': { N: '17' } },
};

const cache = new ParsedExpressions();
const item = got(readItem(JSON.parse(json), 'newer'));
const condition = got(readExpressions(input, 'newer', cache)).condition!;
let met = 0;

const rows = [
  measure('JSON.parse of the item', () => (JSON.parse(json).pk === undefined ? 0 : 1)),
  measure('evaluate the condition', () => (meetsCondition(condition, item) ? 1 : 0)),
  measure('resolve it (parsed before)', () =>
    'condition' in readExpressions(input, 'newer', cache) ? 1 : 0,
  ),
  measure('parse and resolve it', () =>
    'condition' in readExpressions(input, 'newer', new ParsedExpressions()) ? 1 : 0,
  ),
];
console.log(`item of ${json.length} bytes; condition ${input.ConditionExpression}`);
console.table(Object.fromEntries(rows.map(([name, ns]) => [name, { 'ns per run': ns }])));
console.log(`check: ${met}`);

/** The best of several rounds: everything that disturbs a round makes it slower. */
function measure(name: string, run: () => number): readonly [string, number] {
  const count = 200_000;
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 7; round++) {
    const start = performance.now();
    for (let i = 0; i < count; i++) met += run();
    best = Math.min(best, performance.now() - start);
  }
  return [name, Math.round((best * 1e6) / count)];
}

function got<T>(result: T | DynamoError): T {
  if (result instanceof DynamoError) throw new Error(result.message);
  return result;
}
