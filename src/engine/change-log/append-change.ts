import { hasSameJson, type ItemHeader } from '../../model/stored/stored-item.ts';
import type { Append } from '../../storage/store.ts';
import type { Table } from '../tables/table-record.ts';
import { type ChangedBy, encodeChange } from './change-record.ts';

/**
 * What a write tells the log of its table: nothing when nobody follows the table, and nothing when the item is the same
 * as before, which its canonical bytes tell.
 */
export function appendChange(
  table: Table,
  key: Uint8Array,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
  { writtenMicros, region }: ItemHeader,
  by: ChangedBy = 'user',
): Append | undefined {
  if (table.log === undefined || isSame(before, after)) return undefined;
  const { epoch } = table.record;
  return {
    kind: 'append',
    bucket: table.log.nameFor(key, table.prefix.length),
    of: key,
    record: encodeChange({ writtenMicros, epoch, region, by, before, after }),
  };
}

function isSame(before: Uint8Array | undefined, after: Uint8Array | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return hasSameJson(before, after);
}
