import { type DynamoError, resourceInUse } from '../../model/errors.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { emptyLog } from '../change-log/log-beginning.ts';
import { beginStream, type StreamChange } from '../change-log/stream-life.ts';
import type { Engine } from '../engine.ts';
import type { Scope } from '../store-keys.ts';
import { statusAt } from '../tables/parts/lifecycle.ts';
import { createdTable } from '../tables/table-parts.ts';
import { newTableRecord, type TableRecord } from '../tables/table-record.ts';
import { busyError, creationEnd } from './phases.ts';
import type { NewTable } from './requests.ts';
import { nextStreamLabel, withStreamLabel } from './stream-label.ts';
import { newBirth, newStorageId } from './table-command.ts';

/** Creates an empty table. The request was checked by itself. */
export function createTable(
  engine: Engine,
  scope: Scope,
  request: NewTable,
): MaybePromise<TableRecord | DynamoError> {
  const { tableName } = request;
  const birth = newBirth(engine, scope);
  const { nowMs } = birth;
  const description = createdTable(request, birth);
  const storageId = newStorageId(engine);
  const effects = engine.effectsOf(scope, tableName);
  const creatingUntil = creationEnd(effects, description, nowMs, engine.random.next());
  const labelled =
    description.stream === undefined
      ? description
      : whenDone(nextStreamLabel(engine, scope, tableName), (label) => withStreamLabel(description, label));
  return whenDone(labelled, (table) => {
    const record: TableRecord = {
      ...newTableRecord(table, storageId),
      tags: request.tags,
      phases: creatingUntil === undefined ? {} : { creatingUntil },
    };
    return whenDone(withStream(engine, scope, record, nowMs), ({ record: put, mutations: also }) =>
      engine.catalogue.change(
        scope,
        tableName,
        (current) => takenName(current, tableName, nowMs) ?? { put, also },
      ),
    );
  });
}

/** Begins the stream of a new table, if it is to have one. */
function withStream(
  { changeLog, h16 }: Engine,
  scope: Scope,
  record: TableRecord,
  nowMs: number,
): MaybePromise<StreamChange> {
  if (record.description.stream === undefined) return { record, mutations: [] };
  return whenDone(changeLog.partitionStarts(scope, record), (starts) =>
    beginStream(record, scope, { nowMs, h16, log: { ...emptyLog(record), starts } }),
  );
}

function takenName(
  current: TableRecord | undefined,
  tableName: string,
  nowMs: number,
): DynamoError | undefined {
  if (current === undefined) return undefined;
  const status = statusAt(current, nowMs);
  // The service has words of its own for a table that is being restored (observed: ACK DDB-TABLE-219).
  if (current.restore !== undefined && status === 'CREATING')
    return resourceInUse(`Table is being used: ${tableName}`);
  // A name whose table is being deleted is refused in other words (observed: user reports, dynode issue 26, 2012).
  return status === 'DELETING'
    ? busyError(current, 'DELETING')
    : resourceInUse(`Table already exists: ${tableName}`);
}
