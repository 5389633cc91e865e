import { nowMs } from '../../engine/clock.ts';
import { destinationStatusAt } from '../../engine/destinations/destination.ts';
import { replaceDestination } from '../../engine/destinations/destination-life.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { controlTable } from '../control-table.ts';
import { onDestination } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required, structure } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { ending } from '../tables/table-phases.ts';
import {
  changedDestination,
  kinesisStreamArn,
  precision as precisionShape,
  updateConfiguration,
  wrongState,
} from './destination-answer.ts';
import { attendDestinations, knownTable } from './destination-table.ts';

export const updateKinesisStreamingDestinationShape = inputShape('UpdateKinesisStreamingDestination', {
  TableName: controlTableName,
  StreamArn: kinesisStreamArn,
  UpdateKinesisStreamingConfiguration: updateConfiguration,
});
export interface UpdateKinesisStreamingDestinationInput
  extends InputOf<typeof updateKinesisStreamingDestinationShape> {}

export const updateKinesisStreamingDestinationOutput = outputShape({
  ...changedDestination,
  UpdateKinesisStreamingConfiguration: required(
    structure('UpdateKinesisStreamingConfiguration', {
      ApproximateCreationDateTimePrecision: required(precisionShape),
    }),
  ),
});
export interface UpdateKinesisStreamingDestinationOutput
  extends OutputOf<typeof updateKinesisStreamingDestinationOutput> {}

/** Measured in October 2026. */
const updatingMs = [124_000, 152_000] as const;

export const updateKinesisStreamingDestination = operation<
  UpdateKinesisStreamingDestinationInput,
  UpdateKinesisStreamingDestinationOutput
>(
  updateKinesisStreamingDestinationShape,
  updateKinesisStreamingDestinationOutput,
  onDestination,
  async (road, input) => {
    const { engine } = road;
    const { StreamArn: streamArn, UpdateKinesisStreamingConfiguration: configuration } = input;
    const precision = configuration?.ApproximateCreationDateTimePrecision;
    if (precision === undefined)
      return validationError(
        'Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be null or contain only null values',
      );
    const reference = controlTable(road, input.TableName);
    if (reference instanceof DynamoError) return reference;
    const { scope, tableName } = reference;
    const now = nowMs(engine.clock);
    const chance = engine.random.next();
    const before = await engine.catalogue.record(scope, tableName);
    const until = ending(engine.effectsOf(scope, tableName, before), now, updatingMs, chance);
    if (before !== undefined) await attendDestinations(engine, scope, before);
    const changed = await engine.catalogue.change(scope, tableName, (record) => {
      const current = knownTable(record, tableName, now);
      if (current instanceof DynamoError) return current;
      const found = current.destinations?.find((each) => each.streamArn === streamArn);
      if (found === undefined)
        return wrongState(
          `No streaming destination with streamArn: ${streamArn} found for table with tableName: ${tableName}`,
        );
      if (destinationStatusAt(found, now) !== 'ACTIVE' || current.phases.deletingUntil !== undefined)
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
    if (changed instanceof DynamoError) return changed;
    return {
      TableName: tableName,
      StreamArn: streamArn,
      DestinationStatus: 'UPDATING',
      UpdateKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision: precision },
    };
  },
);
