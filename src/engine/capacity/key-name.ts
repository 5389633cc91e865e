import type { AttributeValue, Item } from '../../model/values/attribute-value.ts';
import type { Table, TableIndex } from '../tables/table-record.ts';

/** How a partition key is shown to people: `SHIPMENT#881`. Undefined if an attribute of the key is not known. */
export function keyName(table: Table, index: TableIndex | undefined, attributes: Item): string | undefined {
  const hash = index === undefined ? [table.schema.hash] : index.schema.hash;
  const values: string[] = [];
  for (const { name } of hash) {
    const value = attributes.get(name);
    if (value === undefined) return undefined;
    values.push(shownValue(value));
  }
  return values.join(', ');
}

function shownValue(value: AttributeValue): string {
  if ('S' in value) return value.S;
  if ('N' in value) return value.N;
  return 'B' in value ? `base64:${value.B}` : '?';
}
