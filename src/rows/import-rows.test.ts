import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../tests/seeded-random.ts';
import { type ImportFormat, type ImportRow, importRows } from './import-rows.ts';
import { textLines } from './text-lines.ts';

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

describe('lines', () => {
  it('are the same wherever the chunks are cut', async () => {
    const random = seededRandom(11);
    for (let round = 0; round < 200; round++) {
      const lines = Array.from({ length: random.below(6) }, () =>
        Array.from({ length: random.below(8) }, () => random.pick(['a', 'ß', '😀', '\r'])).join(''),
      );
      const text = lines.join('\n') + random.pick(['', '\n']);
      const found: string[] = [];
      for await (const page of textLines(chunksOf(text, 1 + random.below(9)), 1_000))
        for (const { bytes } of page) found.push(new TextDecoder().decode(bytes));
      const expected = text.split('\n');
      if (expected.at(-1) === '') expected.pop();
      expect(found).toEqual(expected.map((each) => each.replace(/\r$/, '')));
    }
  });

  it('that are too long are told, and only their beginning is kept', async () => {
    const found: unknown[] = [];
    for await (const page of textLines(chunksOf(`${'x'.repeat(100)}\nab\n`), 10))
      for (const { number, bytes, isTooLong } of page) found.push([number, bytes.length, isTooLong]);
    expect(found).toEqual([
      [1, 11, true],
      [2, 2, false],
    ]);
  });
});
