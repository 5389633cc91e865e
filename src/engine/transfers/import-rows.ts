import { DynamoError } from '../../model/errors.ts';
import { parseJson } from '../../model/json/parse-json.ts';
import type { KeyAttribute } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { readItem } from '../../model/values/read-attribute-value.ts';
import { decodeUtf8 } from '../../model/values/utf8.ts';
import { CsvReader } from './csv-records.ts';
import { DamagedData } from './objects.ts';
import { textLines } from './text-lines.ts';

/** One row of an object that is imported: an item, or why it is none. Rows are counted from one, by line. */
export type ImportRow =
  | { readonly line: number; readonly item: Item; readonly error?: undefined }
  | { readonly line: number; readonly item?: undefined; readonly error: string };

export type ImportFormat =
  | { readonly kind: 'DYNAMODB_JSON' }
  | {
      readonly kind: 'CSV';
      readonly delimiter: string;
      /** The names of the columns. Without them the first record of every object holds the names. */
      readonly header: readonly string[] | undefined;
      /** The key attributes of the table and its indexes, whose columns have their declared types. */
      readonly keys: readonly KeyAttribute[];
    };

/**
 * Reads the rows of one object. A row that is no valid item is an error, and the rows after it are read. A line that is
 * no JSON, or CSV that breaks off in a quoted cell, ends the object there with a `DamagedData`, as on the service: what
 * stands behind it cannot be trusted.
 */
export function importRows(format: ImportFormat, bytes: AsyncIterable<Uint8Array>): AsyncIterable<ImportRow> {
  return format.kind === 'CSV' ? csvRows(format, bytes) : jsonRows(bytes);
}

/** The longest line: an item of 400 KB in which every character is escaped, and its type marks. */
const lineBytesMax = 16 * 1024 * 1024;

async function* jsonRows(bytes: AsyncIterable<Uint8Array>): AsyncIterable<ImportRow> {
  for await (const { number: line, bytes: text, isTooLong } of textLines(bytes, lineBytesMax)) {
    if (isTooLong) {
      yield { line, error: `The line is longer than ${lineBytesMax} bytes` };
      continue;
    }
    const trimmed = decodedLine(text, line).trim();
    if (trimmed === '') continue;
    const parsed = parsedLine(trimmed, line);
    const sent = (parsed as { readonly Item?: unknown } | null)?.Item;
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
      yield { line, error: 'The line has no member Item that is a map of attributes' };
      continue;
    }
    const item = readItem(sent, 'older');
    yield item instanceof DynamoError ? { line, error: item.message ?? item.name } : { line, item };
  }
}

function decodedLine(text: Uint8Array, line: number): string {
  try {
    return decodeUtf8(text);
  } catch (error) {
    throw new DamagedData(`Line ${line} is not UTF-8`, { cause: error });
  }
}

function parsedLine(text: string, line: number): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new DamagedData(`Line ${line} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

async function* csvRows(
  format: Extract<ImportFormat, { kind: 'CSV' }>,
  bytes: AsyncIterable<Uint8Array>,
): AsyncIterable<ImportRow> {
  const types = new Map(format.keys.map(({ name, type }) => [name, type]));
  const reader = new CsvReader(format.delimiter, { cellsMax: 10_000, recordCharsMax: lineBytesMax });
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const decoded = (chunk?: Uint8Array) => {
    try {
      return chunk === undefined ? utf8.decode() : utf8.decode(chunk, { stream: true });
    } catch (error) {
      throw new DamagedData('The text is not UTF-8', { cause: error });
    }
  };
  let names = format.header;
  const rowOf = ({ line, cells }: { line: number; cells: readonly string[] }): ImportRow | undefined => {
    if (names === undefined) {
      names = cells;
      return undefined;
    }
    if (cells.length > names.length)
      return { line, error: `The row has ${cells.length} cells, and the header names ${names.length}` };
    return csvItem(names, cells, types, line);
  };
  for await (const chunk of bytes)
    for (const record of reader.push(decoded(chunk))) yield* present(rowOf(record));
  for (const record of reader.push(decoded())) yield* present(rowOf(record));
  for (const record of reader.end()) yield* present(rowOf(record));
}

function* present(row: ImportRow | undefined): Generator<ImportRow> {
  if (row !== undefined) yield row;
}

/** Key columns have their declared type; every other cell is a string; an empty cell is no attribute. */
function csvItem(
  names: readonly string[],
  cells: readonly string[],
  types: ReadonlyMap<string, 'S' | 'N' | 'B'>,
  line: number,
): ImportRow {
  const sent: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [i, cell] of cells.entries())
    if (cell !== '') sent[names[i]!] = { [types.get(names[i]!) ?? 'S']: cell };
  const item = readItem(sent, 'older');
  return item instanceof DynamoError ? { line, error: item.message ?? item.name } : { line, item };
}
