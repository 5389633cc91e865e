import { ItemFilter } from '../../expressions/item-filter.ts';
import { type KeyCondition, keyCondition, type QueriedKey } from '../../expressions/key-condition.ts';
import { checkFilterKeys, checkScalarKeys, pathsOf } from '../../expressions/key-paths.ts';
import { attributesNamed } from '../../expressions/named-attributes.ts';
import { ParsedExpressions } from '../../expressions/parsed-cache.ts';
import { projectItem } from '../../expressions/project.ts';
import {
  checkSubstitutionsHaveExpressions,
  type RequestExpressions,
  readExpressions,
} from '../../expressions/request-expressions.ts';
import { DynamoError } from '../../model/errors.ts';
import { CanonicalWriter } from '../../model/json/canonical-json.ts';
import { tableBounds } from '../../model/keys/key-bounds.ts';
import { checkKeyValueSizes } from '../../model/keys/key-checks.ts';
import { type Hash16, partitionPrefix } from '../../model/keys/keys.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { Portion, type Slices } from '../../model/slices.ts';
import { decodeAttributes, decodeItem, itemJson } from '../../model/stored/stored-item.ts';
import type { TableSchema } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { wholeTable } from '../history/past-pages.ts';
import type { ItemBounds } from '../history/segment-cursor.ts';
import type { FilterSpecification } from './export-record.ts';

/** The expressions of a filtered export, read. */
export interface ExportExpressions {
  readonly condition: KeyCondition | undefined;
  readonly filter: RequestExpressions['filter'];
  readonly projection: RequestExpressions['projection'];
}

/**
 * Reads the expressions of a request with the checks of a Query. As there, a filter may name key attributes only beside
 * no key condition (documented: Developer Guide, S3DataExport.Filtered, November 2026). The order of the checks and the
 * texts are Query's (inferred).
 */
export function readExportFilter(
  sent: FilterSpecification,
  schema: TableSchema,
  parsed = new ParsedExpressions(),
): ExportExpressions | DynamoError {
  const unasked = checkSubstitutionsHaveExpressions(sent, expressionNames, 'newer');
  if (unasked !== undefined) return unasked;
  const read = readExpressions(sent, 'newer', parsed);
  if (read instanceof DynamoError) return read;
  const { keyClauses, filter, projection } = read;
  const key = queriedKey(schema);
  const condition = keyClauses && keyCondition(keyClauses, key);
  if (condition instanceof DynamoError) return condition;
  const wrong =
    (projection && checkScalarKeys(projection.paths, schema)) ??
    (filter && condition && checkFilterKeys(filter, key, 'Filter Expression')) ??
    (filter && checkScalarKeys(pathsOf(filter), schema)) ??
    (condition && checkKeyValueSizes(condition));
  return wrong ?? { condition, filter, projection };
}

const expressionNames = ['FilterExpression', 'KeyConditionExpression', 'ProjectionExpression'] as const;

function queriedKey({ hash, range }: Pick<TableSchema, 'hash' | 'range'>): QueriedKey {
  return { hash: [hash], range: range === undefined ? [] : [range] };
}

/** What an export takes of a table, and what it writes of each item. */
export interface ExportFilter {
  /** The items that meet the key condition. */
  readonly bounds: ItemBounds;
  /** Whether the export takes an item. A promise if there is a filter, which is evaluated in slices. */
  takes(stored: Uint8Array): MaybePromise<boolean>;
  json(stored: Uint8Array): Uint8Array;
}

export function exportFilter(
  { condition, filter, projection }: ExportExpressions,
  itemPrefix: Uint8Array,
  h16: Hash16,
  slices: Slices,
): ExportFilter {
  const filtered = attributesNamed(filter);
  const items = filter && new ItemFilter(filter, new Portion(slices));
  return {
    bounds:
      condition === undefined
        ? wholeTable(itemPrefix)
        : {
            ...tableBounds(partitionPrefix(itemPrefix, condition.hash, h16), condition.range),
            reverse: false,
          },
    takes: items === undefined ? () => true : (stored) => meets(items, decodeAttributes(stored, filtered)),
    json(stored) {
      if (projection === undefined) return itemJson(stored);
      const writer = new CanonicalWriter(1024);
      writer.item(projectItem(projection, decodeItem(stored)));
      return writer.finish();
    },
  };
}

async function meets(filter: ItemFilter, item: Item): Promise<boolean> {
  const isMet = await filter.meets(item);
  await filter.waiting;
  return isMet;
}

/** An export of everything. */
export function unfiltered(itemPrefix: Uint8Array): ExportFilter {
  return { bounds: wholeTable(itemPrefix), takes: () => true, json: itemJson };
}
