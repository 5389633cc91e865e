import { afterAll, beforeAll, expect, it } from 'vitest';
import { meetsCondition } from '../../src/expressions/evaluate-condition.ts';
import { printCondition } from '../../src/expressions/partiql/print-condition.ts';
import type { Condition, Operand } from '../../src/expressions/tree.ts';
import { ServiceError, Stator } from '../../src/index.ts';
import type { AttributeValue, Item } from '../../src/model/values/attribute-value.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';

/**
 * However a SELECT is done (as a GetItem, as up to fifty Queries, as a Scan, of a table or an index, in pages of any
 * size), it finds the items that meet its condition, each once: those that a look at every item finds.
 */

let db: Stator;
const items: Item[] = [];

beforeAll(async () => {
  db = await Stator.open();
  await db.createTable({
    TableName: 'Things',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'p', AttributeType: 'S' },
      { AttributeName: 's', AttributeType: 'N' },
      { AttributeName: 'g', AttributeType: 'N' },
    ],
    KeySchema: [
      { AttributeName: 'p', KeyType: 'HASH' },
      { AttributeName: 's', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-g',
        KeySchema: [
          { AttributeName: 'g', KeyType: 'HASH' },
          { AttributeName: 's', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  });
  for (const p of ['a', 'ab', 'b', 'c']) {
    for (let s = 0; s < 5; s++) {
      const item = new Map<string, AttributeValue>([
        ['p', { S: p }],
        ['s', { N: String(s) }],
        ['x', { N: String((s * 7) % 3) }],
      ]);
      if (s !== 2) item.set('g', { N: String(s % 2) });
      items.push(item);
      await db.putItem({ TableName: 'Things', Item: Object.fromEntries(item) as never });
    }
  }
});

afterAll(() => db.close());

const text = (random: SeededRandom): Operand => ({
  kind: 'value',
  value: { S: random.pick(['a', 'ab', 'b', 'c', 'd']) },
});
const number = (random: SeededRandom): Operand => ({ kind: 'value', value: { N: String(random.below(6)) } });

function randomLeaf(random: SeededRandom): Condition {
  const name = random.pick(['p', 'p', 's', 's', 'g', 'x']);
  const operand: Operand = { kind: 'path', path: [name] };
  const value = () => (name === 'p' ? text(random) : number(random));
  if (random.chance(0.45)) {
    return { kind: 'compare', comparator: '=', left: operand, right: value() };
  }
  switch (random.below(6)) {
    case 0: {
      const comparator = random.pick(['<', '<=', '>', '>=', '<>'] as const);
      const [left, right] = random.chance(0.7) ? [operand, value()] : [value(), operand];
      return { kind: 'compare', comparator, left, right };
    }
    case 1:
      return { kind: 'between', operand, low: value(), high: value() };
    case 2:
      return { kind: 'in', operand, list: Array.from({ length: 1 + random.below(3) }, value) };
    case 3:
      return name === 'p'
        ? { kind: 'begins_with', operand, prefix: text(random) }
        : { kind: 'attribute_exists', path: [name] };
    case 4:
      return { kind: 'compare', comparator: '=', left: operand, right: value() };
    default:
      return { kind: 'attribute_not_exists', path: [name] };
  }
}

function randomCondition(random: SeededRandom, depth: number): Condition {
  if (depth === 0 || random.chance(0.25)) return randomLeaf(random);
  if (random.chance(0.1)) return { kind: 'not', condition: randomCondition(random, depth - 1) };
  const conditions = Array.from({ length: 2 + random.below(2) }, () => randomCondition(random, depth - 1));
  return { kind: random.chance(0.65) ? 'and' : 'or', conditions };
}

function wholeKey(random: SeededRandom): Condition {
  const equals = (name: string, value: Operand): Condition => ({
    kind: 'compare',
    comparator: '=',
    left: { kind: 'path', path: [name] },
    right: value,
  });
  return { kind: 'and', conditions: [equals('s', number(random)), equals('p', text(random))] };
}

const idOf = (item: Readonly<Record<string, unknown>>) => JSON.stringify([item.p, item.s]);

it.each(testSeeds('partiql-select'))('finds what a look at every item finds, %i', async (seed) => {
  const random = seededRandom(seed);
  const operations: Record<string, number> = {};
  for (let round = 0; round < rounds(1_500); round++) {
    const where = random.chance(0.05) ? wholeKey(random) : randomCondition(random, 3);
    const index = random.chance(0.4);
    const statement = `SELECT p, s FROM "Things"${index ? '."by-g"' : ''} WHERE ${printCondition(where)}`;
    const held = index ? items.filter((item) => item.has('g')) : items;
    const expected = held.filter((item) => meetsCondition(where, item));
    const limit = random.chance(0.5) ? 1 + random.below(6) : undefined;
    const found: string[] = [];
    try {
      let NextToken: string | undefined;
      do {
        const page = await db.executeStatement({
          Statement: statement,
          ...(limit !== undefined && { Limit: limit }),
          ...(NextToken !== undefined && { NextToken }),
        });
        found.push(...page.Items.map(idOf));
        NextToken = page.NextToken;
      } while (NextToken !== undefined);
    } catch (error) {
      if (!(error instanceof ServiceError) || !refusals.test(error.message)) {
        throw new Error(`${statement} (limit ${limit})`, { cause: error });
      }
      operations.refused = (operations.refused ?? 0) + 1;
      continue;
    }
    const ids = expected.map((item) => idOf({ p: item.get('p'), s: item.get('s') }));
    expect({ statement, limit, found: found.sort() }).toEqual({ statement, limit, found: ids.sort() });
    const { operation } = await db.explain(statement);
    operations[operation] = (operations[operation] ?? 0) + 1;
  }
  // All ways were taken.
  expect(Object.keys(operations).sort()).toEqual(['GetItem', 'Query', 'Scan', 'refused']);
});

/** What a random condition may rightly be refused for. */
const refusals =
  /^Overlapping conditions|^Too many decomposed read|^The BETWEEN operator requires upper bound/;
