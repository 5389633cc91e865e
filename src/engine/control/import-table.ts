import type { DynamoError } from '../../model/errors.ts';
import type { Engine } from '../engine.ts';
import type { Scope } from '../store-keys.ts';
import { createdTable } from '../tables/table-parts.ts';
import { newTableRecord } from '../tables/table-record.ts';
import type { ImportRecord, ImportRequest } from '../transfers/import-record.ts';
import type { NewTable } from './requests.ts';
import { newBirth, newStorageId } from './table-command.ts';

/** Creates a table and begins the import that fills it. The request was checked by itself. */
export function importTable(
  engine: Engine,
  scope: Scope,
  table: NewTable,
  request: ImportRequest,
  clientToken: string | undefined,
): Promise<ImportRecord | DynamoError> {
  const description = createdTable(table, newBirth(engine, scope));
  const record = newTableRecord(description, newStorageId(engine));
  return engine.transfers.imports.begin(scope, record, request, clientToken);
}
