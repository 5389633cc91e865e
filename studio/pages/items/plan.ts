import { readUnits } from '../../../src/physics/units.ts';
import type { AttributeValue } from '../../data/items.ts';
import { wireValueOf } from '../../data/items.ts';
import {
  allIndexes,
  attributeType,
  type IndexDescription,
  type KeyElement,
  type KeyTypeName,
  keyNames,
  type TableDescription,
} from '../../data/tables.ts';

/** What the filter bar says, as it stands in the address. */
export interface Wanted {
  /** The name of an index, or undefined for the table. */
  readonly index: string | undefined;
  /** The value of the partition key; undefined when none was given. */
  readonly pk: string | undefined;
  readonly sk: { readonly op: SortOperator; readonly text: string; readonly until?: string } | undefined;
  readonly filters: readonly Filter[];
  readonly backwards: boolean;
}

export type SortOperator = '=' | 'begins_with' | '<' | '<=' | '>' | '>=' | 'between';

export interface Filter {
  readonly name: string;
  readonly op: FilterOperator;
  readonly type: FilterType;
  readonly text: string;
}

export const filterOperators = [
  ...(['=', '<>', '<', '<=', '>', '>='] as const),
  ...(['begins_with', 'contains', 'exists', 'not exists'] as const),
] as const;
export type FilterOperator = (typeof filterOperators)[number];
export const filterTypes = ['S', 'N', 'B', 'BOOL', 'NULL'] as const;
export type FilterType = (typeof filterTypes)[number];

/** The request that a filter bar comes down to. */
export interface Plan {
  readonly operation: 'GetItem' | 'Query' | 'Scan';
  readonly input: Readonly<Record<string, unknown>>;
  /** What it will cost, in read units: exact for a Scan of everything, else of a page of items of the mean size. */
  readonly units: number;
  /** Whether the costs are those of looking at everything. */
  readonly isWhole: boolean;
  readonly problem: string | undefined;
}

export const pageItems = 200;

/** Read units up to which opening a table reads the first page of it: a look at what is there. */
export const freeLookUnits = 10;

/**
 * Whether this runs without its button. An address alone runs what is bounded by a key and never a Scan; somebody who opens
 * a table in the studio also gets the first page of a Scan if it is cheap.
 */
export function runsByItself({ operation, isWhole, units }: Plan, isChosen: boolean): boolean {
  return operation !== 'Scan' || (isChosen && !isWhole && units <= freeLookUnits);
}

/**
 * `scanUnits` is what the server says that a Scan of all costs, if it said so: it also knows of partitions, each of which
 * costs at least the least.
 */
export function planOf(table: TableDescription, wanted: Wanted, scanUnits?: number): Plan {
  const index = allIndexes(table).find(({ IndexName }) => IndexName === wanted.index);
  const { hash, range } = keyNames(index ?? table);
  const problem = problemOf(table, index, wanted);
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const value = (mark: string, text: string, type: FilterType) => {
    values[mark] = wireValueOf(typed(type, text));
    return mark;
  };
  const typeOfKey = (name: string): KeyTypeName => attributeType(table, name) ?? 'S';
  const keys: string[] = [];
  if (wanted.pk !== undefined && wanted.pk !== '') {
    names['#pk'] = hash;
    keys.push(`#pk = ${value(':pk', wanted.pk, typeOfKey(hash))}`);
    if (wanted.sk !== undefined && range !== undefined && wanted.sk.text !== '') {
      names['#sk'] = range;
      const { op, text, until = '' } = wanted.sk;
      const low = value(':sk', text, typeOfKey(range));
      if (op === 'begins_with') keys.push(`begins_with(#sk, ${low})`);
      else if (op === 'between')
        keys.push(`#sk BETWEEN ${low} AND ${value(':sk2', until, typeOfKey(range))}`);
      else keys.push(`#sk ${op} ${low}`);
    }
  }
  const filters = wanted.filters
    .filter(({ name }) => name !== '')
    .map((filter, i) => {
      const name = `#f${i}`;
      names[name] = filter.name;
      const given = () => value(`:f${i}`, filter.text, filter.type);
      switch (filter.op) {
        case 'exists':
          return `attribute_exists(${name})`;
        case 'not exists':
          return `attribute_not_exists(${name})`;
        case 'begins_with':
        case 'contains':
          return `${filter.op}(${name}, ${given()})`;
        default:
          return `${name} ${filter.op} ${given()}`;
      }
    });
  const items = Math.max(1, index?.ItemCount ?? table.ItemCount);
  const bytes = index?.IndexSizeBytes ?? table.TableSizeBytes;
  const average = bytes / items;
  if (
    index === undefined &&
    filters.length === 0 &&
    keys.length === (range === undefined ? 1 : 2) &&
    (range === undefined || wanted.sk?.op === '=')
  ) {
    const Key = { [hash]: values[':pk'], ...(range !== undefined && { [range]: values[':sk'] }) };
    return {
      operation: 'GetItem',
      input: { TableName: table.TableName, Key, ReturnConsumedCapacity: 'TOTAL' },
      units: readUnits(average, 'eventual'),
      isWhole: true,
      problem,
    };
  }
  const input = {
    TableName: table.TableName,
    ...(index !== undefined && { IndexName: index.IndexName }),
    ...(keys.length > 0 && { KeyConditionExpression: keys.join(' AND ') }),
    ...(filters.length > 0 && { FilterExpression: filters.join(' AND ') }),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    ...(keys.length > 0 && wanted.backwards && { ScanIndexForward: false }),
    ReturnConsumedCapacity: 'TOTAL',
  };
  if (keys.length > 0)
    return {
      operation: 'Query',
      input,
      // What a filter leaves out is read on and paid for: at worst one collection is all there is.
      units: readUnits(filters.length > 0 ? bytes : average * Math.min(items, pageItems), 'eventual'),
      isWhole: false,
      problem,
    };
  // A filter is looked at after an item was read and paid for, so that a filtered Scan costs the whole table.
  const isWhole = filters.length > 0;
  const all = Math.max(readUnits(bytes, 'eventual'), index === undefined ? (scanUnits ?? 0) : 0);
  const page = readUnits(average * Math.min(items, pageItems), 'eventual');
  return {
    operation: 'Scan',
    input,
    units: isWhole || items <= pageItems ? all : page,
    isWhole,
    problem,
  };
}

function problemOf(
  table: TableDescription,
  index: IndexDescription | undefined,
  wanted: Wanted,
): string | undefined {
  if (wanted.index !== undefined && index === undefined) return `There is no index ${wanted.index}`;
  const { hash, range } = keyNames(index ?? table);
  const several = (kind: KeyElement['KeyType']) =>
    (index?.KeySchema.filter(({ KeyType }) => KeyType === kind).length ?? 0) > 1;
  if (wanted.pk && several('HASH'))
    return 'This index has several partition key attributes: use the Query page';
  const check = (name: string, text: string) => {
    const type = attributeType(table, name);
    return type === 'N' && !isNumber(text) ? `${name} is a number` : undefined;
  };
  if (wanted.pk) {
    const wrong = check(hash, wanted.pk);
    if (wrong) return wrong;
  }
  if (wanted.sk?.text && range !== undefined) {
    if (!wanted.pk) return `A condition on ${range} needs a value for ${hash}`;
    if (wanted.sk.op === 'begins_with' && attributeType(table, range) === 'N')
      return `${range} is a number, which begins with nothing`;
    if (wanted.sk.op === 'between' && !wanted.sk.until) return `${range} lies between two values`;
    return check(range, wanted.sk.text) ?? check(range, wanted.sk.until ?? wanted.sk.text);
  }
  const wrong = wanted.filters.find(
    ({ type, op, text }) => type === 'N' && !op.endsWith('exists') && !isNumber(text),
  );
  return wrong
    ? `${wrong.name || 'The filter'} is compared with a number, and ${wrong.text || 'nothing'} is none`
    : undefined;
}

function isNumber(text: string): boolean {
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text.trim());
}

function typed(type: FilterType, text: string): AttributeValue {
  switch (type) {
    case 'N':
      return { N: text.trim() };
    case 'B':
      return { B: text.trim() };
    case 'BOOL':
      return { BOOL: text.trim() === 'true' };
    case 'NULL':
      return { NULL: true };
    default:
      return { S: text };
  }
}

const sortOperators: readonly SortOperator[] = ['begins_with', 'between', '<=', '>=', '<', '>', '='];

/** Reads the filter bar from the parameters of an address. */
export function wantedOf(params: Readonly<Record<string, string>>): Wanted {
  const sk = params.sk;
  const op = sortOperators.find((one) => sk?.startsWith(`${one} `) || sk === one);
  let text = sk === undefined ? '' : op === undefined ? sk : sk.slice(op.length + 1);
  let until: string | undefined;
  if (op === 'between') [text = '', until = ''] = text.split('\u2026');
  return {
    index: params.index,
    pk: params.pk,
    sk: sk === undefined ? undefined : { op: op ?? '=', text, ...(until !== undefined && { until }) },
    filters: readFilters(params.f),
    backwards: params.order === 'down',
  };
}

function readFilters(text: string | undefined): Filter[] {
  if (text === undefined) return [];
  try {
    const parsed = JSON.parse(text) as unknown;
    if (!Array.isArray(parsed)) return [];
    return parsed
      .filter((one): one is string[] => Array.isArray(one) && one.every((part) => typeof part === 'string'))
      .map(([name = '', op = '=', type = 'S', value = '']) => ({
        name,
        // An address may say anything; what it says becomes part of an expression.
        op: filterOperators.find((known) => known === op) ?? '=',
        type: filterTypes.find((known) => known === type) ?? 'S',
        text: value,
      }));
  } catch {
    return [];
  }
}

export function paramsOf(wanted: Wanted): Record<string, string | undefined> {
  const { index, pk, sk, filters, backwards } = wanted;
  const range = sk?.op === 'between' ? `${sk.text}\u2026${sk.until ?? ''}` : sk?.text;
  return {
    index,
    pk: pk || undefined,
    sk: sk === undefined || (sk.text === '' && sk.op === '=') ? undefined : `${sk.op} ${range}`,
    f:
      filters.length === 0
        ? undefined
        : JSON.stringify(filters.map(({ name, op, type, text }) => [name, op, type, text])),
    order: backwards ? 'down' : undefined,
  };
}
