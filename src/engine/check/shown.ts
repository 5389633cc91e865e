import { CanonicalWriter } from '../../model/json/canonical-json.ts';
import { parseJson } from '../../model/json/parse-json.ts';
import { keyAttributes } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { toHex } from '../../model/values/hex.ts';
import { decodeUtf8 } from '../../model/values/utf8.ts';
import type { Table, TableIndex } from '../tables/table-record.ts';
import type { Place } from './check-report.ts';

/** Long enough to tell what it is; items may have 400 KB. */
const shownCharactersMax = 500;

export function shownText(text: string): string {
  if (text.length <= shownCharactersMax) return text;
  return `${text.slice(0, shownCharactersMax)}… (${text.length} characters)`;
}

export function shownItem(item: Item): string {
  return shownText(jsonOf(item));
}

export function shownBytes(bytes: Uint8Array): string {
  return shownText(toHex(bytes));
}

export function shownError(error: unknown): string {
  return shownText(error instanceof Error ? error.message : String(error));
}

/** What an item has of the table's key attributes, as clients write them. */
export function shownKey(table: Table, item: Item): object {
  const names = keyAttributes(table.schema).map(({ name }) => name);
  const found = names.flatMap((name) => (item.has(name) ? [[name, item.get(name)!] as const] : []));
  return parseJson(jsonOf(new Map(found))) as object;
}

export function placeOf(table: Table, index?: TableIndex): Place {
  const { account, region } = table.scope;
  return { account, region, table: table.name, ...(index && { index: index.schema.name }) };
}

function jsonOf(item: Item): string {
  const writer = new CanonicalWriter(256);
  writer.item(item);
  return decodeUtf8(writer.finish());
}
