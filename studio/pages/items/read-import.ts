import { DynamoError } from '../../../src/model/errors.ts';
import { readItem } from '../../../src/model/values/read-attribute-value.ts';
import type { AttributeValue, Item } from '../../data/items.ts';
import { attributeType, type TableDescription } from '../../data/tables.ts';

export interface ReadImport {
  readonly items: readonly Item[];
  readonly problems: readonly string[];
}

const problemsMax = 20;

/**
 * Items of a file: lines or a list, of DynamoDB JSON (bare, or under `Item` as exports have it, or as put requests), or of
 * plain JSON. Numbers of plain JSON are taken digit by digit from the text.
 */
export function readImport(text: string, table: TableDescription): ReadImport {
  const items: Item[] = [];
  const problems: string[] = [];
  for (const [where, value] of valuesOf(text, problems)) {
    const item = readOne(value);
    const problem = typeof item === 'string' ? item : keyProblem(item, table);
    if (problem === undefined) items.push(item as Item);
    else if (problems.length < problemsMax) problems.push(`${where}: ${problem}`);
  }
  return { items, problems };
}

function valuesOf(text: string, problems: string[]): [string, unknown][] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  try {
    const whole = parseKeepingNumbers(trimmed);
    return listOf(whole).map((value, i): [string, unknown] => [`Item ${i + 1}`, value]);
  } catch {
    const found: [string, unknown][] = [];
    for (const [i, line] of trimmed.split('\n').entries()) {
      if (line.trim() === '') continue;
      try {
        found.push([`Line ${i + 1}`, parseKeepingNumbers(line)]);
      } catch (error) {
        if (problems.length < problemsMax) problems.push(`Line ${i + 1}: ${(error as Error).message}`);
      }
    }
    return found;
  }
}

/** A list, the items of an answer, or the requests of a batch. */
function listOf(whole: unknown): unknown[] {
  if (Array.isArray(whole)) return whole;
  const members = whole as Record<string, unknown>;
  if (Array.isArray(members.Items)) return members.Items;
  const values = Object.values(members);
  if (values.length > 0 && values.every((one) => Array.isArray(one))) return values.flat();
  return [whole];
}

/** A number of plain JSON, with all its digits. */
class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** JSON whose numbers stay texts: each is marked before parsing, outside of strings. */
function parseKeepingNumbers(json: string): unknown {
  const mark = '\u0000number:';
  const marked = json.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g, (token) =>
    token.startsWith('"') ? token : JSON.stringify(mark + token),
  );
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? new NumberText(value.slice(mark.length)) : value,
  );
}

function readOne(value: unknown): Item | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'not an object';
  const members = value as Record<string, unknown>;
  const put = members.PutRequest as Record<string, unknown> | undefined;
  const wrapped = put?.Item ?? (Object.keys(members).length === 1 ? members.Item : undefined);
  const item = (wrapped ?? members) as Record<string, unknown>;
  if (isTyped(item)) {
    const read = readItem(item, 'newer');
    return read instanceof DynamoError ? (read.message ?? 'not an item') : read;
  }
  return new Map(Object.entries(item).map(([name, one]) => [name, plainOf(one)]));
}

const typeNames = new Set(['S', 'N', 'B', 'BOOL', 'NULL', 'L', 'M', 'SS', 'NS', 'BS']);

function isTyped(item: Record<string, unknown>): boolean {
  const values = Object.values(item);
  return (
    values.length > 0 &&
    values.every((value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
      const names = Object.keys(value);
      return names.length === 1 && typeNames.has(names[0]!);
    })
  );
}

function plainOf(value: unknown): AttributeValue {
  if (value instanceof NumberText) return { N: value.text };
  if (value === null) return { NULL: true };
  if (typeof value === 'boolean') return { BOOL: value };
  if (typeof value === 'string') return { S: value };
  if (Array.isArray(value)) return { L: value.map(plainOf) };
  return { M: new Map(Object.entries(value as object).map(([name, one]) => [name, plainOf(one)])) };
}

function keyProblem(item: Item, table: TableDescription): string | undefined {
  for (const { AttributeName: name } of table.KeySchema) {
    const value = item.get(name);
    const type = attributeType(table, name) ?? 'S';
    if (value === undefined) return `${name}, of the key, is missing`;
    if (!(type in value)) return `${name}, of the key, is not of type ${type}`;
  }
  return undefined;
}
