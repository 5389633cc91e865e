import { nowMs } from '../../engine/clock.ts';
import { cutAt, endOfMs } from '../../engine/history/eras.ts';
import { invalidRestoreTime, recoveryUnavailable } from '../../engine/history/recovery.ts';
import { entryPrefix, slotCounters } from '../../engine/store-keys.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { parseTableArn } from '../../model/tables/table-arn.ts';
import { onRestored, tableIntent } from '../intents.ts';
import type { Caller } from '../operation.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { name } from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { boolean, required, string, timestamp } from '../shapes/shape.ts';
import type { TableReference } from '../table-reference.ts';
import { refuseNotYet } from '../tables/not-yet.ts';
import { tableDescription } from '../tables/table-answer.ts';
import { invalidRequest } from './backup-errors.ts';
import { tableArn } from './backup-reference.ts';
import { hasLag, missingTable, windowOf } from './continuous-backups-answer.ts';
import { beginRestore, targetError } from './restore-target.ts';
import { overrideMembers, overridesError } from './restored-table.ts';

export const restoreTableToPointInTimeShape = inputShape('RestoreTableToPointInTime', {
  SourceTableArn: string({ min: 1, max: 1024 }),
  SourceTableName: name,
  TargetTableName: required(name),
  UseLatestRestorableTime: boolean,
  RestoreDateTime: timestamp,
  ...overrideMembers,
});
export interface RestoreTableToPointInTimeInput extends InputOf<typeof restoreTableToPointInTimeShape> {}

export const restoreTableToPointInTimeOutput = outputShape({ TableDescription: required(tableDescription) });
export interface RestoreTableToPointInTimeOutput extends OutputOf<typeof restoreTableToPointInTimeOutput> {}

/** Shape, then recovery, then the time, then the target (DDB-TABLE-100). */
export const restoreTableToPointInTime = operation<
  RestoreTableToPointInTimeInput,
  RestoreTableToPointInTimeOutput
>(
  restoreTableToPointInTimeShape,
  restoreTableToPointInTimeOutput,
  ({ SourceTableArn, SourceTableName, TargetTableName }, road) => [
    ...[SourceTableArn, SourceTableName].flatMap((named) =>
      named === undefined ? [] : [tableIntent(road, named)],
    ),
    ...onRestored(road, TargetTableName),
  ],
  async (road, input) => {
    const { engine, caller } = road;
    const wrong = refuseNotYet(input, 'VectorIndexOverride') ?? timeError(input);
    if (wrong !== undefined) return wrong;
    const source = sourceReference(input, caller);
    if (source instanceof DynamoError) return source;
    if (source.scope.region !== caller.region && input.SSESpecificationOverride === undefined)
      return invalidRequest('sseSpecificationOverride must be provided for cross-region restores');
    const { TargetTableName: targetName } = input;
    const target = { account: caller.accountId, region: caller.region };
    const forbidden = road.passControl(targetName);
    if (forbidden !== undefined) return forbidden;
    const { catalogue } = engine;
    const { backups } = engine.past;
    const found = await catalogue.record(source.scope, source.tableName);
    const missing = missingTable(engine, source.tableName)(found);
    if (missing !== undefined) return missing;
    const record = await engine.past.eras.settled(source.scope, found!);
    const window = windowOf(engine, source.scope, record);
    if (window === undefined) return recoveryUnavailable(source.tableName);
    const asked = input.UseLatestRestorableTime === true ? undefined : input.RestoreDateTime! * 1000;
    if (asked !== undefined && (asked < floorSecond(window.earliestMs) || asked > window.latestMs))
      return invalidRestoreTime(asked, window);
    const error = overridesError(record.description, input);
    if (error !== undefined) return error;
    const taken = targetError(await catalogue.record(target, targetName), targetName, nowMs(engine.clock));
    if (taken !== undefined) return taken;
    // A time within the first second is that of the beginning: clients know it without its fraction.
    const restoreMs = Math.max(Math.floor(asked ?? window.latestMs), window.earliestMs);
    const isNow = asked === undefined && !hasLag(engine, source.scope, record);
    const jobId = backups.newJobId();
    const held = await backups.hold(
      source.scope,
      source.tableName,
      jobId,
      async (current) => ({
        at: isNow ? 'now' : await cutAt(engine.store, current, endOfMs(restoreMs), current.recovery!.era),
      }),
      (current) =>
        current?.storageId !== record.storageId || current.recovery === undefined
          ? recoveryUnavailable(source.tableName)
          : undefined,
    );
    if (held instanceof DynamoError) return held;
    const past = held.source;
    const { count } = slotCounters(entryPrefix(record.storageId, 0));
    const [itemsExpected] = await engine.store.counters([count]);
    const begun = await beginRestore(road, {
      scope: target,
      tableName: targetName,
      source: record.description,
      overrides: input,
      from: { kind: 'table', source: past },
      itemsExpected: itemsExpected!,
      era: past.cut.era + 1,
      note: {
        jobId,
        restoreDateTime: restoreMs,
        sourceTableArn: tableArn(source.scope, source.tableName),
      },
    });
    if (begun instanceof DynamoError) await backups.letGo(past, jobId);
    return begun;
  },
);

/** The end of the first text is not known: the source has it cut after "Pleas". */
function timeError(input: RestoreTableToPointInTimeInput): DynamoError | undefined {
  const { UseLatestRestorableTime: latest = false, RestoreDateTime: time } = input;
  if (latest && time !== undefined)
    return invalidRequest(
      'Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore request. ' +
        'Please specify only one of them',
    );
  return !latest && time === undefined
    ? invalidRequest(
        'Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both',
      )
    : undefined;
}

function sourceReference(
  { SourceTableArn: arn, SourceTableName: tableName }: RestoreTableToPointInTimeInput,
  caller: Caller,
): TableReference | DynamoError {
  if (arn !== undefined && tableName !== undefined)
    return invalidRequest('Must provide exactly one of: sourceTableArn, sourceTableName');
  if (tableName !== undefined)
    return { scope: { account: caller.accountId, region: caller.region }, tableName };
  if (arn === undefined)
    return validationError("The parameter 'TableName' is required but was not present in the request");
  const parsed = parseTableArn(arn);
  if (parsed === undefined || parsed.part !== undefined)
    return invalidRequest('sourceTableArn is not a valid ARN');
  if (parsed.account !== caller.accountId)
    return validationError(
      "This action is only supported by accounts that match the resource owner's account",
    );
  return { scope: { account: parsed.account, region: parsed.region }, tableName: parsed.tableName };
}

function floorSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
