import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { parseJson } from '../model/json/parse-json.ts';
import type { TemplateMonitoring } from '../tables-from/monitoring-resources.ts';
import type { TableDefinition } from '../tables-from/table-definition.ts';
import { codeOf, Failure, messageOf } from './failure.ts';
import { importFile } from './import-file.ts';

/** What a file for `--init` says: tables and items, or a script that makes them. */
export type Init =
  | {
      readonly kind: 'tables';
      readonly path: string;
      readonly tables: readonly TableDefinition[];
      readonly items: InitItems;
      /** Alarms and auto scaling of a template. */
      readonly monitoring?: TemplateMonitoring;
    }
  | { readonly kind: 'script'; readonly path: string; readonly run: (given: object) => unknown };

/** Items in DynamoDB JSON by the name of their table. */
export type InitItems = ReadonlyMap<string, readonly unknown[]>;

const scriptExtensions = ['.js', '.mjs', '.cjs', '.ts', '.mts'];

/** What a reader of templates needs to know, and where it says what it left out. */
export interface InitReading {
  readonly region: string;
  readonly note: (line: string) => void;
}

export async function readInit(path: string, reading: InitReading): Promise<Init> {
  if (scriptExtensions.includes(extname(path).toLowerCase())) return readScript(path);
  const text = readText(path);
  const own = ownForm(text, path);
  if (own === undefined)
    return { kind: 'tables', path, ...(await readTables(text, path, reading)), items: new Map() };
  const { tables } =
    own.tables === undefined ? { tables: [] } : await readTables(JSON.stringify(own.tables), path, reading);
  return { kind: 'tables', path, tables, items: own.items };
}

async function readScript(path: string): Promise<Init> {
  readText(path);
  const run = await importFile(path, 'init script');
  if (typeof run !== 'function')
    throw new Failure(
      `The init script ${path} does not export a function by default.`,
      'Write export default async ({ client, db }) => { … }.',
    );
  return { kind: 'script', path, run: run as (given: object) => unknown };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' ? 'does not exist' : `cannot be read: ${messageOf(error)}`;
    throw new Failure(`The init file ${path} ${why}.`, undefined, error);
  }
}

/** CreateTable requests and templates are read elsewhere, since others read them too; loaded when there are any. */
async function readTables(
  text: string,
  path: string,
  reading: InitReading,
): Promise<{ readonly tables: readonly TableDefinition[]; readonly monitoring: TemplateMonitoring }> {
  const { allFromText } = await import('../tables-from/tables-from-text.ts');
  try {
    const { tables, monitoring } = allFromText(text, path, reading);
    return { tables, monitoring: monitoring() };
  } catch (error) {
    throw new Failure(`The init file cannot be used: ${messageOf(error)}`, undefined, error);
  }
}

/** The forms that carry items: `{ tables, items }` and BatchWriteItem's. Undefined for all others. */
function ownForm(
  text: string,
  path: string,
): { readonly tables: unknown; readonly items: InitItems } | undefined {
  const content = parsed(text);
  if (!isObject(content)) return undefined;
  if (Object.hasOwn(content, 'tables') || Object.hasOwn(content, 'items')) {
    const unknown = Object.keys(content).find((key) => key !== 'tables' && key !== 'items');
    if (unknown !== undefined)
      throw new Failure(
        `The init file ${path} has the unknown member ${JSON.stringify(unknown)} beside tables and items.`,
      );
    return { tables: content.tables, items: itemsByTable(content.items ?? {}, path) };
  }
  const requests = Object.hasOwn(content, 'RequestItems') ? content.RequestItems : content;
  if (requests === content && !isRequestItems(content)) return undefined;
  return { tables: undefined, items: itemsOfRequests(requests, path) };
}

/** Text that is no JSON may be a template in YAML. */
function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function itemsByTable(items: unknown, path: string): InitItems {
  if (!isObject(items))
    throw new Failure(`In the init file ${path}, items must be an object of arrays by table.`);
  return new Map(
    Object.entries(items).map(([table, list]) => {
      if (!Array.isArray(list))
        throw new Failure(`In the init file ${path}, the items of ${table} must be an array.`);
      return [table, list as unknown[]];
    }),
  );
}

/** What `aws dynamodb batch-write-item --request-items` takes: the map alone, without a name for it. */
function isRequestItems(content: Readonly<Record<string, unknown>>): boolean {
  const lists = Object.values(content);
  return (
    lists.length > 0 &&
    lists.every((list) => Array.isArray(list) && list.length > 0 && list.every(isWriteRequest))
  );
}

function isWriteRequest(entry: unknown): entry is Readonly<Record<string, unknown>> {
  return isObject(entry) && (Object.hasOwn(entry, 'PutRequest') || Object.hasOwn(entry, 'DeleteRequest'));
}

function itemsOfRequests(requests: unknown, path: string): InitItems {
  const items = new Map<string, unknown[]>();
  for (const [table, entries] of itemsByTable(requests, path))
    items.set(
      table,
      entries.map((entry, index) => {
        const put = isWriteRequest(entry) ? entry.PutRequest : undefined;
        if (!isObject(put))
          throw new Failure(
            `In the init file ${path}, request ${index + 1} for ${table} is not a PutRequest.`,
          );
        return put.Item;
      }),
    );
  return items;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
