import { type DynamoError, tableNotFound } from '../../model/errors.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { toHex } from '../../model/values/hex.ts';
import { nowMs } from '../../runtime/clock.ts';
import { randomBytes, randomUuid } from '../../runtime/randomness.ts';
import type { TableEffects } from '../capacity/mode-settings.ts';
import type { Engine } from '../engine.ts';
import { type Scope, storageIdBytes } from '../store-keys.ts';
import type { RecordChange } from '../tables/catalogue.ts';
import type { TableRecord } from '../tables/table-record.ts';
import type { TableName } from '../tables/table-requests.ts';
import type { Birth } from './requests.ts';

/** What a command knows of the moment when it decides. */
export interface Moment {
  readonly nowMs: number;
  /** The physics that is acted out for the table. */
  readonly effects: TableEffects;
}

/**
 * The skeleton of the commands that change one table: `decide` gets the current record and answers its change or the
 * refusal. It may be called more than once, so chance is drawn before. `missing` is the refusal of a table that does not
 * exist.
 */
export function changeTable(
  engine: Engine,
  { scope, tableName }: TableName,
  decide: (current: TableRecord, moment: Moment) => RecordChange | DynamoError,
  missing: (tableName: string) => DynamoError = tableNotFound,
): MaybePromise<TableRecord | DynamoError> {
  const now = nowMs(engine.clock);
  return engine.catalogue.change(scope, tableName, (current) =>
    current === undefined
      ? missing(tableName)
      : decide(current, { nowMs: now, effects: engine.effectsOf(scope, tableName, current) }),
  );
}

export function newStorageId({ random }: Engine): string {
  return toHex(randomBytes(random, storageIdBytes));
}

/** What a new table is given beside its request: ids, drawn anew, and the time. */
export function newBirth({ clock, random }: Engine, { account, region }: Scope): Birth {
  return {
    nowMs: nowMs(clock),
    tableId: randomUuid(random),
    kmsKeyId: randomUuid(random),
    ...{ account, region },
  };
}
