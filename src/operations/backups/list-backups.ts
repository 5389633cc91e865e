import { DynamoError, validationError } from '../../model/errors.ts';
import { settingLimits } from '../../model/limits.ts';
import { listing } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { name } from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { integer, list, oneOf, required, string, timestamp } from '../shapes/shape.ts';
import { tableReference } from '../table-reference.ts';
import { backupSummary, summaryAnswer } from './backup-answer.ts';
import { backupArn, backupArnShape, backupReference } from './backup-reference.ts';

const listBackupsShape = inputShape('ListBackups', {
  TableName: { ...name, orArn: true },
  Limit: integer({ min: 1, max: settingLimits.backupsPageMax }),
  TimeRangeLowerBound: timestamp,
  TimeRangeUpperBound: timestamp,
  ExclusiveStartBackupArn: backupArnShape,
  BackupType: oneOf('USER', 'SYSTEM', 'AWS_BACKUP', 'ALL'),
});
export interface ListBackupsInput extends InputOf<typeof listBackupsShape> {}

const listBackupsOutput = outputShape({
  BackupSummaries: required(list(backupSummary)),
  LastEvaluatedBackupArn: string(),
});
export interface ListBackupsOutput extends OutputOf<typeof listBackupsOutput> {}

/**
 * USER backups unless told otherwise, oldest first; the lower bound of the time is included and the upper one not; the
 * ARN to begin after need not be that of a backup (observed: ACK DDB-BACKUP-014).
 */
export const listBackups = operation<ListBackupsInput, ListBackupsOutput>(
  listBackupsShape,
  listBackupsOutput,
  ({ TableName, ExclusiveStartBackupArn }, road) => listing(road, TableName, ExclusiveStartBackupArn),
  async (road, input) => {
    const { engine, caller } = road;
    const { TimeRangeLowerBound: from, TimeRangeUpperBound: to, ExclusiveStartBackupArn: afterArn } = input;
    if (from !== undefined && to !== undefined && from > to)
      return validationError('Time range lower bound must be less than or equal to upper bound');
    const after = afterArn === undefined ? undefined : backupReference(afterArn, caller);
    if (after instanceof DynamoError) return after;
    if (after !== undefined && after.region !== caller.region)
      return validationError(
        `ExclusiveStartBackupArn ${afterArn} does not match the region ${caller.region}`,
      );
    const reference = input.TableName === undefined ? undefined : tableReference(input.TableName, caller);
    if (reference instanceof DynamoError) return reference;
    const forbidden = road.passControl(reference?.tableName, reference?.scope.account);
    if (forbidden !== undefined) return forbidden;
    const scope = reference?.scope ?? { account: caller.accountId, region: caller.region };
    const type = input.BackupType ?? 'USER';
    const start = after && `${after.id}/${after.tableName}`;
    const found = (await engine.past.backups.list(scope, reference?.tableName))
      .filter((backup) => type === 'ALL' || backup.type === type)
      .filter(({ createdAt }) => from === undefined || createdAt >= from * 1000)
      .filter(({ createdAt }) => to === undefined || createdAt < to * 1000)
      .map((backup) => ({ backup, place: `${backup.id}/${backup.table.tableName}` }))
      .filter(({ place }) => start === undefined || place > start)
      .sort((a, b) => (a.place < b.place ? -1 : 1));
    const limit = input.Limit ?? settingLimits.backupsPageMax;
    const page = found.slice(0, limit).map(({ backup }) => backup);
    const last = page.at(-1);
    return {
      BackupSummaries: page.map(summaryAnswer),
      ...(found.length > page.length && {
        LastEvaluatedBackupArn: backupArn(last!, last!.table.tableName, last!.id),
      }),
    };
  },
);
