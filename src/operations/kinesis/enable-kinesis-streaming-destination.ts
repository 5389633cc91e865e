import { nowMs } from '../../engine/clock.ts';
import { isInUse, type KinesisDestination, readerPrefix } from '../../engine/destinations/destination.ts';
import { enableDestination } from '../../engine/destinations/destination-life.ts';
import { randomBytes } from '../../engine/randomness.ts';
import { DynamoError, tableNotFound } from '../../model/errors.ts';
import { toHex } from '../../model/values/hex.ts';
import { controlTable } from '../control-table.ts';
import { onDestination } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { ending, inUse } from '../tables/table-phases.ts';
import {
  changedDestination,
  enableConfiguration,
  kinesisStreamArn,
  wrongState,
} from './destination-answer.ts';
import { knownTable } from './destination-table.ts';

export const enableKinesisStreamingDestinationShape = inputShape('EnableKinesisStreamingDestination', {
  TableName: controlTableName,
  StreamArn: kinesisStreamArn,
  EnableKinesisStreamingConfiguration: enableConfiguration,
});
export interface EnableKinesisStreamingDestinationInput
  extends InputOf<typeof enableKinesisStreamingDestinationShape> {}

export const enableKinesisStreamingDestinationOutput = outputShape({
  ...changedDestination,
  EnableKinesisStreamingConfiguration: required(enableConfiguration),
});
export interface EnableKinesisStreamingDestinationOutput
  extends OutputOf<typeof enableKinesisStreamingDestinationOutput> {}

/** Measured in October 2026. */
const enablingMs = [2_000, 7_000] as const;

/** Whether there is such a stream is found out afterwards, as on the service. */
export const enableKinesisStreamingDestination = operation<
  EnableKinesisStreamingDestinationInput,
  EnableKinesisStreamingDestinationOutput
>(
  enableKinesisStreamingDestinationShape,
  enableKinesisStreamingDestinationOutput,
  onDestination,
  async (road, input) => {
    const { engine } = road;
    const reference = controlTable(road, input.TableName);
    if (reference instanceof DynamoError) return reference;
    const { scope, tableName } = reference;
    const { StreamArn: streamArn, EnableKinesisStreamingConfiguration: configuration = {} } = input;
    const { ApproximateCreationDateTimePrecision: precision } = configuration;
    const now = nowMs(engine.clock);
    const chance = engine.random.next();
    const readerId = toHex(randomBytes(engine.random, 8));
    const found = await engine.catalogue.record(scope, tableName);
    if (found === undefined) return tableNotFound(tableName);
    const until = ending(engine.effectsOf(scope, tableName, found), now, enablingMs, chance);
    const destination: KinesisDestination = {
      streamArn,
      state: 'ENABLING',
      ...(until !== undefined && { passing: { as: 'ENABLING', until } }),
      ...(precision && { precision }),
      reader: `${readerPrefix}${readerId}`,
    };
    const ends = await engine.changeLog.streams.logEnds(found.storageId);
    const changed = await engine.catalogue.change(scope, tableName, (record) => {
      const current = knownTable(record, tableName, now);
      if (current instanceof DynamoError) return current;
      if (current.storageId !== found.storageId) return tableNotFound(tableName);
      if (current.destinations?.some((each) => isInUse(each, now)))
        return wrongState(
          'EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE operation.',
        );
      if (current.phases.deletingUntil !== undefined) return inUse(`Table is being deleted: ${tableName}`);
      return enableDestination(current, scope, { destination, ends, nowMs: now });
    });
    if (changed instanceof DynamoError) return changed;
    const { storageId } = changed;
    engine.destinations.attend({ scope, tableName, storageId, reader: destination.reader });
    return {
      TableName: tableName,
      StreamArn: streamArn,
      DestinationStatus: 'ENABLING',
      EnableKinesisStreamingConfiguration: configuration,
    };
  },
);
