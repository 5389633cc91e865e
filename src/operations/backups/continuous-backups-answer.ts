import { nowMs } from '../../engine/clock.ts';
import type { Engine } from '../../engine/engine.ts';
import { type RestorableWindow, restorableWindow } from '../../engine/history/recovery.ts';
import type { Scope } from '../../engine/store-keys.ts';
import { statusAt, type TableRecord } from '../../engine/tables/table-record.ts';
import { DynamoError } from '../../model/errors.ts';
import { integer, oneOf, required, structure, timestamp } from '../shapes/shape.ts';
import type { Named, OutputValue } from '../shapes/shape-types.ts';
import { backupTableNotFound } from './backup-errors.ts';

const anonymousDescription = structure('ContinuousBackupsDescription', {
  ContinuousBackupsStatus: required(oneOf('ENABLED', 'DISABLED')),
  PointInTimeRecoveryDescription: structure('PointInTimeRecoveryDescription', {
    PointInTimeRecoveryStatus: required(oneOf('ENABLED', 'DISABLED')),
    RecoveryPeriodInDays: integer(),
    EarliestRestorableDateTime: timestamp,
    LatestRestorableDateTime: timestamp,
  }),
});
export interface ContinuousBackupsDescription extends OutputValue<typeof anonymousDescription> {}
export const continuousBackupsDescription: Named<ContinuousBackupsDescription, typeof anonymousDescription> =
  anonymousDescription;

/** On-demand backups are always possible; whether recovery is on is told apart from that. */
export function continuousBackupsAnswer(engine: Engine, scope: Scope, record: TableRecord): object {
  const window = windowOf(engine, scope, record);
  return {
    ContinuousBackupsStatus: 'ENABLED',
    PointInTimeRecoveryDescription:
      window === undefined
        ? { PointInTimeRecoveryStatus: 'DISABLED' }
        : {
            PointInTimeRecoveryStatus: 'ENABLED',
            RecoveryPeriodInDays: record.recovery!.periodDays,
            EarliestRestorableDateTime: window.earliestMs / 1000,
            LatestRestorableDateTime: window.latestMs / 1000,
          },
  };
}

/** The service's latest restorable time trails by five minutes (DDB-TABLE-085). Here only where physics act it out. */
const latestLagMs = 300_000;

/** What of a table can be restored; undefined while its recovery is off. */
export function windowOf(engine: Engine, scope: Scope, record: TableRecord): RestorableWindow | undefined {
  return restorableWindow(record, nowMs(engine.clock), hasLag(engine, scope, record) ? latestLagMs : 0);
}

/** Whether the latest restorable time of a table trails behind. Otherwise "latest" is a moment of now. */
export function hasLag(engine: Engine, scope: Scope, { description }: TableRecord): boolean {
  return engine.effectsOf(scope, description.tableName).acts('controlPlanePhases');
}

/** Refuses a table that is not there yet, or no longer; both are not found (DDB-BACKUP-001). */
export function missingTable(
  engine: Engine,
  table: string,
): (record: TableRecord | undefined) => DynamoError | undefined {
  const now = nowMs(engine.clock);
  return (record) => {
    const status = record === undefined ? 'gone' : statusAt(record, now);
    return status === 'ACTIVE' || status === 'UPDATING' ? undefined : backupTableNotFound(table);
  };
}

/** For some seconds after a table's creation its backups are only being enabled (DDB-BACKUP-002), where that is acted out. */
export function notYetEnabled(
  engine: Engine,
  scope: Scope,
  tableName: string,
): (record: TableRecord | undefined) => DynamoError | undefined {
  const acts = engine.effectsOf(scope, tableName).acts('controlPlanePhases');
  const missing = missingTable(engine, tableName);
  const now = nowMs(engine.clock);
  return (record) => {
    const refused = missing(record);
    const createdMs = record?.phases.creatingUntil;
    if (refused !== undefined || !acts || createdMs === undefined) return refused;
    return now < createdMs + enablingMs
      ? new DynamoError(
          'ContinuousBackupsUnavailableException',
          `Backups are being enabled for the table: ${tableName}. Please retry later`,
        )
      : undefined;
  };
}

const enablingMs = 3_000;
