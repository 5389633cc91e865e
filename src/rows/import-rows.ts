import { DynamoError } from '../model/errors.ts';
import { parseJson } from '../model/json/parse-json.ts';
import type { KeyAttribute } from '../model/tables/table-schema.ts';
import type { Item } from '../model/values/attribute-value.ts';
import { isBase64 } from '../model/values/base64.ts';
import { readItem } from '../model/values/read-attribute-value.ts';
import { decodeUtf8 } from '../model/values/utf8.ts';
import { CsvReader } from './csv-records.ts';
import { DamagedData } from './damaged-data.ts';
import { type JsonText, jsonValues } from './json-values.ts';

/** One row of an object that is imported: an item, or why it is none. `line` is where the row begins, from one. */
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

/** A row before it is read as an item: `Item` of a full export or a CSV record, or the members of a change. */
export type SentRow =
  | { readonly line: number; readonly sent: Readonly<Record<string, unknown>>; readonly error?: undefined }
  | { readonly line: number; readonly sent?: undefined; readonly error: string };

/**
 * Reads the rows of one object, a page per chunk of its bytes. A row that is no valid item is an error, and the rows
 * after it are read. DynamoDB JSON is a row per JSON value: the service takes several on one line too (observed: moto's
 * AWS tests). A value that is no JSON, or CSV that breaks off in a quoted cell, ends the object there with a
 * `DamagedData`, as on the service: what stands behind it cannot be trusted.
 */
export async function* importRows(
  format: ImportFormat,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<ImportRow[]> {
  for await (const page of sentRows(format, bytes)) yield page.map(importRow);
}

function importRow({ line, sent, error }: SentRow): ImportRow {
  if (sent === undefined) return { line, error };
  const { Item: given } = sent;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { line, error: 'The line has no member Item that is a map of attributes' };
  const item = readItem(given, 'older');
  return item instanceof DynamoError ? { line, error: item.message ?? item.name } : { line, item };
}

/** Reads the rows of one object as they were sent. */
export async function* sentRows(
  format: ImportFormat,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<SentRow[]> {
  const read = format.kind === 'CSV' ? csvReader(format) : jsonReader();
  const pages = format.kind === 'CSV' ? textsOf(bytes) : jsonValues(bytes, lineBytesMax);
  for await (const page of pages as AsyncIterable<never>) {
    const rows: SentRow[] = [];
    try {
      for (const row of read(page)) rows.push(row);
    } catch (error) {
      // The rows before the damage count.
      if (rows.length > 0) yield rows;
      throw error;
    }
    if (rows.length > 0) yield rows;
  }
}

/** The longest value or record: an item of 400 KB in which every character is escaped, and its type marks. */
const lineBytesMax = 16 * 1024 * 1024;

function jsonReader() {
  return function* (values: readonly JsonText[]): Generator<SentRow> {
    for (const { line, bytes, isTooLong } of values) {
      if (isTooLong) {
        yield { line, error: `The line is longer than ${lineBytesMax} bytes` };
        continue;
      }
      const sent = parsedValue(decodedValue(bytes, line), line);
      yield typeof sent === 'object' && sent !== null && !Array.isArray(sent)
        ? { line, sent: sent as Readonly<Record<string, unknown>> }
        : { line, error: 'The line has no member Item that is a map of attributes' };
    }
  };
}

function decodedValue(text: Uint8Array, line: number): string {
  try {
    return decodeUtf8(text);
  } catch (error) {
    throw new DamagedData(`Line ${line} is not UTF-8`, { cause: error });
  }
}

function parsedValue(text: string, line: number): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new DamagedData(`Line ${line} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/** The text of an object, in pieces; the last one is undefined. */
async function* textsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string | undefined> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const decoded = (chunk?: Uint8Array) => {
    try {
      return chunk === undefined ? utf8.decode() : utf8.decode(chunk, { stream: true });
    } catch (error) {
      throw new DamagedData('The text is not UTF-8', { cause: error });
    }
  };
  for await (const chunk of bytes) yield decoded(chunk);
  yield decoded();
  yield undefined;
}

function csvReader(format: Extract<ImportFormat, { kind: 'CSV' }>) {
  const types = new Map(format.keys.map(({ name, type }) => [name, type]));
  const reader = new CsvReader(format.delimiter, { cellsMax: 10_000, recordCharsMax: lineBytesMax });
  let names = format.header && distinct(format.header);
  return function* (text: string | undefined): Generator<SentRow> {
    for (const { line, cells } of text === undefined ? reader.end() : reader.push(text)) {
      if (names === undefined) names = distinct(cells);
      else if (cells.length > names.length)
        yield { line, error: `The row has ${cells.length} cells, and the header names ${names.length}` };
      else yield csvRow(line, names, cells, types);
    }
  };
}

/** The names of columns. Two of one name would lose the cells of one without a word. */
function distinct(names: readonly string[]): readonly string[] {
  const known = new Set<string>();
  for (const name of names) {
    if (name !== '' && known.has(name))
      throw new DamagedData(`The header names the column ${JSON.stringify(name)} twice`);
    known.add(name);
  }
  return names;
}

/** Key columns have their declared type; every other cell is a string; an empty cell is no attribute. */
function csvRow(
  line: number,
  names: readonly string[],
  cells: readonly string[],
  types: ReadonlyMap<string, 'S' | 'N' | 'B'>,
): SentRow {
  const item: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [i, cell] of cells.entries()) {
    if (cell === '') continue;
    const name = names[i]!;
    const type = types.get(name) ?? 'S';
    if (type === 'B' && !isBase64(cell))
      return { line, error: `The cell of the column ${name} is not base64, and the key ${name} is binary` };
    item[name] = { [type]: cell };
  }
  return { line, sent: { Item: item } };
}
