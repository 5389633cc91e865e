import { nowMs } from '../../engine/clock.ts';
import { destinationStatusAt } from '../../engine/destinations/destination.ts';
import { endDestination } from '../../engine/destinations/destination-life.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { controlTable } from '../control-table.ts';
import { onDestination } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { ending } from '../tables/table-phases.ts';
import {
  changedDestination,
  enableConfiguration,
  kinesisStreamArn,
  wrongState,
} from './destination-answer.ts';
import { knownTable } from './destination-table.ts';

export const disableKinesisStreamingDestinationShape = inputShape('DisableKinesisStreamingDestination', {
  TableName: controlTableName,
  StreamArn: kinesisStreamArn,
  // The configuration is in the model, and refused.
  EnableKinesisStreamingConfiguration: enableConfiguration,
});
export interface DisableKinesisStreamingDestinationInput
  extends InputOf<typeof disableKinesisStreamingDestinationShape> {}

export const disableKinesisStreamingDestinationOutput = outputShape(changedDestination);
export interface DisableKinesisStreamingDestinationOutput
  extends OutputOf<typeof disableKinesisStreamingDestinationOutput> {}

/** Measured in October 2026. */
const disablingMs = [1_000, 2_200] as const;

/** How long the request itself waits for what was written before it; the service was seen to take 1.5 s. */
const drainMsMax = 2_000;

/**
 * What was written before is still delivered, unless the destination does not take it: then it is left out. What is
 * written later is not.
 */
export const disableKinesisStreamingDestination = operation<
  DisableKinesisStreamingDestinationInput,
  DisableKinesisStreamingDestinationOutput
>(
  disableKinesisStreamingDestinationShape,
  disableKinesisStreamingDestinationOutput,
  onDestination,
  async (road, input) => {
    const { engine } = road;
    const { StreamArn: streamArn } = input;
    if (input.EnableKinesisStreamingConfiguration?.ApproximateCreationDateTimePrecision !== undefined)
      return validationError(
        'Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters',
      );
    const reference = controlTable(road, input.TableName);
    if (reference instanceof DynamoError) return reference;
    const { scope, tableName } = reference;
    const now = nowMs(engine.clock);
    const chance = engine.random.next();
    const before = await engine.catalogue.record(scope, tableName);
    const until = ending(engine.effectsOf(scope, tableName, before), now, disablingMs, chance);
    const reader = before?.destinations?.find((each) => each.streamArn === streamArn)?.reader;
    if (reader !== undefined) await engine.destinations.find(reader)?.caughtUpWithin(drainMsMax);
    const changed = await engine.catalogue.change(scope, tableName, (record) => {
      const current = knownTable(record, tableName, now);
      if (current instanceof DynamoError) return current;
      const found = current.destinations?.find((each) => each.streamArn === streamArn);
      const status = found && destinationStatusAt(found, now);
      const isLeaving = current.phases.deletingUntil !== undefined;
      // Asked again while it is being disabled, the service says the same again.
      if (found !== undefined && status === 'DISABLING' && !isLeaving) return { put: current };
      if (found === undefined || status !== 'ACTIVE' || isLeaving)
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
    return { TableName: tableName, StreamArn: streamArn, DestinationStatus: 'DISABLING' };
  },
);
