import type { Engine } from '../../engine/engine.ts';
import type { Scope } from '../../engine/store-keys.ts';
import { statusAt, type TableRecord } from '../../engine/tables/table-record.ts';
import { type DynamoError, tableNotFound } from '../../model/errors.ts';

/**
 * The record of a table that destinations can be asked about. A table that is being created is not known yet to this
 * part of the service (measured, October 2026).
 */
export function knownTable(
  record: TableRecord | undefined,
  tableName: string,
  nowMs: number,
): TableRecord | DynamoError {
  return record === undefined || statusAt(record, nowMs) === 'CREATING' ? tableNotFound(tableName) : record;
}

/** Whoever waits for a destination looks at it again and again: what has been found out by then is shown. */
export async function attendDestinations(
  engine: Engine,
  scope: Scope,
  { destinations, storageId, description: { tableName }, phases }: TableRecord,
): Promise<void> {
  const enabling = destinations?.find(({ state }) => state === 'ENABLING');
  if (enabling === undefined || phases.deletingUntil !== undefined) return;
  const { reader } = enabling;
  await engine.destinations.attend({ scope, tableName, storageId, reader }).checked();
}
