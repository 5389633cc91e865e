import type { TableRecord } from '../engine/tables/table-record.ts';
import { DynamoError, tableNotFound } from '../model/errors.ts';
import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';
import type { RequestRoad } from './request-road.ts';
import { type TableReference, tableReference } from './table-reference.ts';

/**
 * Finds out which table a request administers, and passes the request. `refusal` checks the rest of the request in
 * between: an invalid request meets no fault.
 */
export function controlTable(
  road: RequestRoad,
  text: string,
  refusal?: (reference: TableReference) => DynamoError | undefined,
): TableReference | DynamoError {
  const reference = tableReference(text, road.caller);
  if (reference instanceof DynamoError) return reference;
  const { tableName, scope } = reference;
  return refusal?.(reference) ?? road.passControl(tableName, scope.account) ?? reference;
}

export interface FoundTable extends TableReference {
  readonly record: TableRecord;
}

/** Likewise for a request that describes a table. A table that does not exist is a ResourceNotFoundException. */
export function foundTable(road: RequestRoad, text: string): MaybePromise<FoundTable | DynamoError> {
  const reference = controlTable(road, text);
  if (reference instanceof DynamoError) return reference;
  const { scope, tableName } = reference;
  return whenDone(road.engine.catalogue.record(scope, tableName), (record) => {
    if (record !== undefined) return { ...reference, record };
    road.engine.noteMissing(scope, tableName);
    return tableNotFound(tableName);
  });
}
