import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../tests/seeded-random.ts';
import { type ImportFormat, type ImportRow, importRows } from './import-rows.ts';
import { jsonValues } from './json-values.ts';

async function* chunksOf(text: string, bytes = 7): AsyncGenerator<Uint8Array> {
  const all = new TextEncoder().encode(text);
  for (let i = 0; i < all.length; i += bytes) yield all.subarray(i, i + bytes);
}

async function rowsOf(format: ImportFormat, text: string): Promise<{ rows: ImportRow[]; damage?: string }> {
  const rows: ImportRow[] = [];
  try {
    for await (const page of importRows(format, chunksOf(text))) rows.push(...page);
    return { rows };
  } catch (error) {
    return { rows, damage: (error as Error).message };
  }
}

const csv: ImportFormat = {
  kind: 'CSV',
  delimiter: ',',
  header: undefined,
  keys: [
    { name: 'id', type: 'S' },
    { name: 'at', type: 'N' },
  ],
};

describe('rows of DynamoDB JSON', () => {
  it('are items, and what is none is an error of its line', async () => {
    const { rows } = await rowsOf(
      { kind: 'DYNAMODB_JSON' },
      '{"Item":{"id":{"S":"ä"}}}\n\n{"Item":{"id":{"N":"x"}}}\n{"item":{}}\n{"Item":{"id":{"S":7}}}\r\n{"Item":{"id":{"N":"01"}}}',
    );
    expect(rows.map(({ line, item, error }) => [line, item ? 'item' : error])).toEqual([
      [1, 'item'],
      [3, expect.stringContaining('numeric value')],
      [4, 'The line has no member Item that is a map of attributes'],
      [5, expect.any(String)],
      [6, 'item'],
    ]);
  });

  it('are JSON values, and not lines', async () => {
    const text =
      '{"Item":{"id":{"S":"}{\\"\\\\"}}}{"Item":{"id":{"N":"x"}}} {\n"Item":\n{"id":{"S":"b"}}\n}\n7\n{"Item":{"id":{"S":"c"}}}';
    const { rows } = await rowsOf({ kind: 'DYNAMODB_JSON' }, text);
    expect(rows.map(({ line, item, error }) => [line, item?.get('id') ?? error])).toEqual([
      [1, { S: '}{"\\' }],
      [1, expect.stringContaining('numeric value')],
      [1, { S: 'b' }],
      [5, 'The line has no member Item that is a map of attributes'],
      [6, { S: 'c' }],
    ]);
  });

  it('end where a line is no JSON', async () => {
    const { rows, damage } = await rowsOf(
      { kind: 'DYNAMODB_JSON' },
      '{"Item":{"id":{"S":"a"}}}\n{"Item":\n{"Item":{}}',
    );
    expect([rows.length, damage]).toEqual([1, expect.stringMatching(/^Line 2 is not JSON: /)]);
  });
});

describe('rows of CSV', () => {
  it('have keys of their declared types, strings elsewhere, and no empty attributes', async () => {
    const { rows } = await rowsOf(csv, 'id,at,note\na,7,"x,y"\nb,8,\nc,no,z\nd,1,2,3\n');
    expect(rows.map(({ item, error }) => (item === undefined ? error : Object.fromEntries(item)))).toEqual([
      { id: { S: 'a' }, at: { N: '7' }, note: { S: 'x,y' } },
      { id: { S: 'b' }, at: { N: '8' } },
      expect.stringContaining('numeric value'),
      'The row has 4 cells, and the header names 3',
    ]);
  });

  it('need base64 in the columns of binary keys', async () => {
    const binary: ImportFormat = { ...csv, keys: [{ name: 'id', type: 'B' }] };
    const { rows } = await rowsOf(binary, 'id,other\nQUE=,***\n***,x\nQQ,x\n');
    expect(rows.map(({ item, error }) => error ?? item!.size)).toEqual([
      2,
      'The cell of the column id is not base64, and the key id is binary',
      'The cell of the column id is not base64, and the key id is binary',
    ]);
  });

  it('are damage where two columns have one name', async () => {
    const damage = 'The header names the column "at" twice';
    expect(await rowsOf(csv, 'id,at,,at,\na,1,x,2,y\n')).toEqual({ rows: [], damage });
    expect(await rowsOf({ ...csv, header: ['at', 'at'] }, 'a,1\n')).toEqual({ rows: [], damage });
  });

  it('take the names that were given', async () => {
    const { rows } = await rowsOf({ ...csv, header: ['id', 'at'] }, 'a,1\n');
    expect(rows.map(({ item }) => [...(item?.keys() ?? [])])).toEqual([['id', 'at']]);
  });
});

describe('values', () => {
  it('are the same wherever the chunks are cut', async () => {
    const random = seededRandom(11);
    const someValue = (depth: number): unknown => {
      const kind = depth === 0 ? 2 : random.below(4);
      if (kind === 0) return Array.from({ length: random.below(3) }, () => someValue(depth - 1));
      if (kind === 1) return { [random.pick(['a', '}', '"', '\\'])]: someValue(depth - 1), b: someValue(0) };
      return random.pick(['a', 'ß', '😀', '[', '{"', '\\"', '\n', 1, null, true]);
    };
    for (let round = 0; round < 200; round++) {
      const values = Array.from({ length: random.below(5) }, () => ({ Item: someValue(3) }));
      const texts = values.map((each) => JSON.stringify(each, undefined, random.pick([0, 0, 1])));
      const text = texts.map((each) => each + random.pick(['', '\n', '\r\n', ' \n\n'])).join('');
      const found: unknown[] = [];
      for await (const page of jsonValues(chunksOf(text, 1 + random.below(9)), 1_000))
        for (const { bytes } of page) found.push(JSON.parse(new TextDecoder().decode(bytes)));
      expect(found).toEqual(values);
    }
  });

  it('that are too long are told, and only their beginning is kept', async () => {
    const found: unknown[] = [];
    const text = `{"a":"${'x'.repeat(100)}"}{}\n\n${'y'.repeat(50)}\n{"b":1}\n{`;
    for await (const page of jsonValues(chunksOf(text), 10))
      for (const { line, bytes, isTooLong } of page) found.push([line, bytes.length, isTooLong]);
    expect(found).toEqual([
      [1, 11, true],
      [1, 2, false],
      [3, 11, true],
      [4, 7, false],
      [5, 1, false],
    ]);
  });
});
