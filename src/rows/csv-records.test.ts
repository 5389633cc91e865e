import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { CsvReader, csvDelimiters } from './csv-records.ts';
import { DamagedData } from './damaged-data.ts';

const limits = { cellsMax: 100, recordCharsMax: 10_000 };

function read(text: string, delimiter = ',', cuts: readonly number[] = []): string[][] {
  const reader = new CsvReader(delimiter, limits);
  const records: string[][] = [];
  let from = 0;
  for (const cut of [...cuts.toSorted((a, b) => a - b), text.length]) {
    for (const { cells } of reader.push(text.slice(from, Math.max(from, cut)))) records.push([...cells]);
    from = Math.max(from, cut);
  }
  for (const { cells } of reader.end()) records.push([...cells]);
  return records;
}

describe('a CSV file', () => {
  it.each<[string, string, string[][]]>([
    [
      'plain cells',
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'no line break at the end',
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'carriage returns',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['quotes', '"a,1","b""c"\n', [['a,1', 'b"c']]],
    ['line breaks in quotes', '"a\nb",c\n', [['a\nb', 'c']]],
    ['empty cells', ',,\n', [['', '', '']]],
    ['an empty quoted cell', '""\n', [['']]],
    ['empty lines', '\na\n\n', [['a']]],
    ['a byte order mark', '\uFEFFa\n', [['a']]],
    ['a quote inside a cell', 'a"b"\n', [['a"b"']]],
    ['characters of two units', '😀,ß\n', [['😀', 'ß']]],
  ])('with %s', (_, text, records) => {
    expect(read(text)).toEqual(records);
  });

  it('keeps the line that a record starts on', () => {
    const reader = new CsvReader(',', limits);
    const lines = [...reader.push('a\n"b\nc"\nd\n')].map(({ line }) => line);
    expect(lines).toEqual([1, 2, 4]);
  });

  it('is damaged where a quoted cell never ends, or a record has no end', () => {
    expect(() => read('a\n"b,c\n')).toThrow(
      new DamagedData('The quoted cell that starts on line 2 never ends'),
    );
    expect(() => read('x'.repeat(10_001))).toThrow(DamagedData);
    expect(() => read(','.repeat(200))).toThrow('more than 100 cells');
  });

  it('reads back what any writer quoted, wherever the chunks are cut', () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', '"', ',', ';', '|', '\t', ' ', ':', '\n', 'ß', '😀'),
    });
    const record = fc.array(cell, { minLength: 1, maxLength: 5 });
    assertProperty(
      fc.property(
        fc.array(record, { maxLength: 5 }),
        fc.constantFrom(...csvDelimiters),
        fc.array(fc.nat(200), { maxLength: 5 }),
        fc.constantFrom('\n', '\r\n'),
        (records, delimiter, cuts, end) => {
          const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
          const text = records.map((cells) => cells.map(quoted).join(delimiter) + end).join('');
          expect(read(text, delimiter, cuts)).toEqual(records);
        },
      ),
    );
  });
});
