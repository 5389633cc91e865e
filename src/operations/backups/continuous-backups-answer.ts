import { windowOf } from '../../engine/control/recovery.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Scope } from '../../engine/store-keys.ts';
import type { TableRecord } from '../../engine/tables/table-record.ts';
import { integer, oneOf, required, structure, timestamp } from '../shapes/shape.ts';
import type { Named, OutputValue } from '../shapes/shape-types.ts';

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
