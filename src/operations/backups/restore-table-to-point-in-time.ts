import { invalidRequest } from '../../engine/control/backup-refusals.ts';
import { newTableAnswer } from '../../engine/control/describe-table.ts';
import { restoreToTime } from '../../engine/control/restore-table.ts';
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
import { overrideMembers, overridesOf } from './override-members.ts';

const restoreTableToPointInTimeShape = inputShape('RestoreTableToPointInTime', {
  SourceTableArn: string({ min: 1, max: 1024 }),
  SourceTableName: name,
  TargetTableName: required(name),
  UseLatestRestorableTime: boolean,
  RestoreDateTime: timestamp,
  ...overrideMembers,
});
export interface RestoreTableToPointInTimeInput extends InputOf<typeof restoreTableToPointInTimeShape> {}

const restoreTableToPointInTimeOutput = outputShape({ TableDescription: required(tableDescription) });
export interface RestoreTableToPointInTimeOutput extends OutputOf<typeof restoreTableToPointInTimeOutput> {}

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
    const forbidden = road.passControl(targetName);
    if (forbidden !== undefined) return forbidden;
    const scope = { account: caller.accountId, region: caller.region };
    const timeMs = input.UseLatestRestorableTime === true ? undefined : input.RestoreDateTime! * 1000;
    const restored = await restoreToTime(
      engine,
      { scope, tableName: targetName },
      source,
      timeMs,
      overridesOf(input),
    );
    return restored instanceof DynamoError
      ? restored
      : { TableDescription: newTableAnswer(engine, scope, restored) };
  },
);

/** The source has the first text cut after "Pleas"; its end is ours (guess). */
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
