import { updateTimeToLive as updateTimeToLiveCommand } from '../../engine/control/time-to-live.ts';
import { DynamoError } from '../../model/errors.ts';
import { itemLimits } from '../../model/limits.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import { controlTable } from '../control-table.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { boolean, required, string, structure } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';

const timeToLiveSpecification = structure('TimeToLiveSpecification', {
  Enabled: required(boolean),
  AttributeName: required(string({ min: 1, max: itemLimits.keyAttributeNameLengthMax })),
});

export const updateTimeToLiveShape = inputShape('UpdateTimeToLive', {
  TableName: controlTableName,
  TimeToLiveSpecification: required(timeToLiveSpecification),
});
export interface UpdateTimeToLiveInput extends InputOf<typeof updateTimeToLiveShape> {}

const updateTimeToLiveOutput = outputShape({
  TimeToLiveSpecification: required(timeToLiveSpecification),
});
export interface UpdateTimeToLiveOutput extends OutputOf<typeof updateTimeToLiveOutput> {}

export const updateTimeToLive = operation<UpdateTimeToLiveInput, UpdateTimeToLiveOutput>(
  updateTimeToLiveShape,
  updateTimeToLiveOutput,
  onTable,
  (road, input) => {
    const reference = controlTable(road, input.TableName);
    if (reference instanceof DynamoError) return reference;
    const { Enabled: enabled, AttributeName: attributeName } = input.TimeToLiveSpecification;
    const changed = updateTimeToLiveCommand(road.engine, reference, { enabled, attributeName });
    return whenDone(
      changed,
      (refusal) => refusal ?? { TimeToLiveSpecification: input.TimeToLiveSpecification },
    );
  },
);
