import { DynamoError, tableNotFound, validationError } from '../../model/errors.ts';
import { toHex } from '../../model/values/hex.ts';
import { nowMs } from '../../runtime/clock.ts';
import { randomBytes } from '../../runtime/randomness.ts';
import {
  destinationStatusAt,
  isInUse,
  type KinesisDestination,
  type Precision,
  readerPrefix,
} from '../destinations/destination.ts';
import { enableDestination, endDestination, replaceDestination } from '../destinations/destination-life.ts';
import type { Engine } from '../engine.ts';
import type { RecordChange } from '../tables/catalogue.ts';
import { isLeaving, statusAt } from '../tables/parts/lifecycle.ts';
import type { TableRecord } from '../tables/table-record.ts';
import type { TableName } from '../tables/table-requests.ts';
import { ending, inUse } from './phases.ts';
import { changeTable } from './table-command.ts';

/** How long the passing states of a destination last (observed: ACK, October 2026). */
const enablingMs = [2_000, 7_000] as const;
const disablingMs = [1_000, 2_200] as const;
const updatingMs = [124_000, 152_000] as const;

/**
 * How long DisableKinesisStreamingDestination waits for earlier writes; the service takes 1.5 s (observed: ACK, October
 * 2026).
 */
const drainMsMax = 2_000;

/** Enables a destination. Whether there is such a stream is found out afterwards, as on the service. */
export async function enableKinesisDestination(
  engine: Engine,
  table: TableName,
  streamArn: string,
  precision: Precision | undefined,
): Promise<TableRecord | DynamoError> {
  const { scope, tableName } = table;
  const now = nowMs(engine.clock);
  const chance = engine.random.next();
  const reader = `${readerPrefix}${toHex(randomBytes(engine.random, 8))}`;
  const found = await engine.catalogue.record(scope, tableName);
  if (found === undefined) return tableNotFound(tableName);
  const until = ending(engine.effectsOf(scope, tableName, found), now, enablingMs, chance);
  const destination: KinesisDestination = {
    streamArn,
    state: 'ENABLING',
    ...(until !== undefined && { passing: { as: 'ENABLING', until } }),
    ...(precision && { precision }),
    reader,
  };
  const log = await engine.changeLog.beginning(scope, found);
  const changed = await changeKnown(engine, table, (current) => {
    if (current.storageId !== found.storageId) return tableNotFound(tableName);
    if (current.destinations?.some((each) => isInUse(each, now)))
      return wrongState(
        'EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE operation.',
      );
    if (isLeaving(current)) return inUse(`Table is being deleted: ${tableName}`);
    return enableDestination(current, scope, { destination, log, nowMs: now });
  });
  if (!(changed instanceof DynamoError))
    engine.destinations.attend({ scope, tableName, storageId: changed.storageId, reader });
  return changed;
}

/**
 * Disables a destination. Earlier writes are still delivered, unless the destination does not take them: then they are
 * left out. Later writes are not delivered.
 */
export async function disableKinesisDestination(
  engine: Engine,
  table: TableName,
  streamArn: string,
): Promise<TableRecord | DynamoError> {
  const { scope, tableName } = table;
  const now = nowMs(engine.clock);
  const chance = engine.random.next();
  const before = await engine.catalogue.record(scope, tableName);
  const until = ending(engine.effectsOf(scope, tableName, before), now, disablingMs, chance);
  const reader = before?.destinations?.find((each) => each.streamArn === streamArn)?.reader;
  if (reader !== undefined) await engine.destinations.find(reader)?.caughtUpWithin(drainMsMax);
  const changed = await changeKnown(engine, table, (current) => {
    const found = current.destinations?.find((each) => each.streamArn === streamArn);
    const status = found && destinationStatusAt(found, now);
    // Asked again while it is being disabled, the service says the same again.
    if (found !== undefined && status === 'DISABLING' && !isLeaving(current)) return { put: current };
    if (found === undefined || status !== 'ACTIVE' || isLeaving(current))
      return wrongState('KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.');
    const { passing: _, precision: __, ...rest } = found;
    return {
      put: endDestination(current, found, {
        ...rest,
        state: 'DISABLED',
        ...(until !== undefined && { passing: { as: 'DISABLING', until } }),
      }),
    };
  });
  if (changed instanceof DynamoError) return changed;
  if (reader !== undefined) await engine.destinations.stop(reader);
  engine.changeLog.keeper.touch();
  return changed;
}

/** Changes the precision of a destination's times. */
export async function updateKinesisDestination(
  engine: Engine,
  table: TableName,
  streamArn: string,
  precision: Precision,
): Promise<TableRecord | DynamoError> {
  const { scope, tableName } = table;
  const now = nowMs(engine.clock);
  const chance = engine.random.next();
  const before = await engine.catalogue.record(scope, tableName);
  const until = ending(engine.effectsOf(scope, tableName, before), now, updatingMs, chance);
  if (before !== undefined) await attendDestinations(engine, table, before);
  return changeKnown(engine, table, (current) => {
    const found = current.destinations?.find((each) => each.streamArn === streamArn);
    if (found === undefined)
      return wrongState(
        `No streaming destination with streamArn: ${streamArn} found for table with tableName: ${tableName}`,
      );
    if (destinationStatusAt(found, now) !== 'ACTIVE' || isLeaving(current))
      return wrongState(
        `Kinesis streaming is not in ACTIVE state. Updates are only allowed in ACTIVE state. TableName: ${tableName}, kdsArn: ${streamArn}`,
      );
    // Unless it was set, it is that of milliseconds, though it is not shown.
    if ((found.precision ?? 'MILLISECOND') === precision)
      return validationError(
        `Invalid Request: Precision is already set to the desired value of ${precision} for tableId: ${current.description.tableId}, kdsArn: ${streamArn}`,
      );
    const { passing: _, ...rest } = found;
    const after = {
      ...rest,
      precision,
      ...(until !== undefined && { passing: { as: 'UPDATING' as const, until } }),
    };
    return { put: replaceDestination(current, found, after) };
  });
}

/** The record of a table whose destinations are described, once a check under way has ended. */
export async function tableWithDestinations(
  engine: Engine,
  table: TableName,
): Promise<TableRecord | DynamoError> {
  const { scope, tableName } = table;
  const now = nowMs(engine.clock);
  const before = knownTable(await engine.catalogue.record(scope, tableName), tableName, now);
  if (before instanceof DynamoError) return before;
  await attendDestinations(engine, table, before);
  return knownTable(await engine.catalogue.record(scope, tableName), tableName, now);
}

async function changeKnown(
  engine: Engine,
  table: TableName,
  decide: (current: TableRecord) => RecordChange | DynamoError,
): Promise<TableRecord | DynamoError> {
  return changeTable(engine, table, (record, { nowMs: now }) => {
    const current = knownTable(record, table.tableName, now);
    return current instanceof DynamoError ? current : decide(current);
  });
}

/** A table that is being created is not known yet to this part of the service (observed: ACK, October 2026). */
function knownTable(
  record: TableRecord | undefined,
  tableName: string,
  now: number,
): TableRecord | DynamoError {
  return record === undefined || statusAt(record, now) === 'CREATING' ? tableNotFound(tableName) : record;
}

/** Programs that wait for a destination describe it again and again: the check under way ends first. */
async function attendDestinations(
  engine: Engine,
  { scope, tableName }: TableName,
  record: TableRecord,
): Promise<void> {
  const enabling = record.destinations?.find(({ state }) => state === 'ENABLING');
  if (enabling === undefined || isLeaving(record)) return;
  const { storageId } = record;
  await engine.destinations.attend({ scope, tableName, storageId, reader: enabling.reader }).checked();
}

/** The service has one sentence for all of these, whatever was asked for. */
function wrongState(detail: string): DynamoError {
  return validationError(`Table is not in a valid state to enable Kinesis Streaming Destination: ${detail}`);
}
