import { equalValues } from '../../../src/model/values/attribute-value.ts';
import { itemSize } from '../../../src/model/values/item-size.ts';
import { indexWriteUnits, itemWriteUnits } from '../../../src/physics/units.ts';
import { type Item, sameItem } from '../../data/items.ts';
import {
  allIndexes,
  attributeType,
  type IndexDescription,
  type TableDescription,
} from '../../data/table-description.ts';

/** What writing an item costs its table and, all together, its indexes, if nobody changes it meanwhile. */
export interface WriteEstimate {
  readonly table: number;
  readonly indexes: number;
}

export function estimateWrite(table: TableDescription, before: Item | undefined, after: Item): WriteEstimate {
  let indexes = 0;
  for (const index of allIndexes(table)) {
    const [old, fresh] = [before && entryOf(table, index, before), entryOf(table, index, after)];
    indexes += indexWriteUnits({
      before: old && itemSize(old),
      after: fresh && itemSize(fresh),
      sameKey: index.KeySchema.every(({ AttributeName: name }) => {
        const [a, b] = [old?.get(name), fresh?.get(name)];
        return a !== undefined && b !== undefined && equalValues(a, b);
      }),
      sameProjection: sameItem(old, fresh),
    });
  }
  return { table: itemWriteUnits(before && itemSize(before), itemSize(after)), indexes };
}

/** What an index holds of an item; undefined if the item lacks a key attribute or has it with another type. */
function entryOf(table: TableDescription, index: IndexDescription, item: Item): Item | undefined {
  const names = index.KeySchema.map(({ AttributeName }) => AttributeName);
  if (names.some((name) => !((attributeType(table, name) ?? '') in (item.get(name) ?? {})))) return undefined;
  if (index.Projection.ProjectionType === 'ALL') return item;
  const shown = new Set([
    ...names,
    ...table.KeySchema.map(({ AttributeName }) => AttributeName),
    ...(index.Projection.NonKeyAttributes ?? []),
  ]);
  return new Map([...item].filter(([name]) => shown.has(name)));
}
