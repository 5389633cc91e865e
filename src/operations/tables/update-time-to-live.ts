import { nowMs } from '../../engine/clock.ts';
import { beginExpiry, endExpiry } from '../../engine/expiry/expiry-life.ts';
import { statusAt, type TableRecord, type TableStatus } from '../../engine/tables/table-record.ts';
import { DynamoError, tableNotFound, validationError } from '../../model/errors.ts';
import { itemLimits, timeLimits } from '../../model/limits.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import { controlTable } from '../control-table.ts';
import { onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { boolean, required, string, structure } from '../shapes/shape.ts';
import { controlTableName } from '../shapes/table-shapes.ts';
import { busyError } from './table-phases.ts';

const timeToLiveSpecification = structure('TimeToLiveSpecification', {
  Enabled: required(boolean),
  AttributeName: required(string({ min: 1, max: itemLimits.keyAttributeNameLengthMax })),
});

export const updateTimeToLiveShape = inputShape('UpdateTimeToLive', {
  TableName: controlTableName,
  TimeToLiveSpecification: required(timeToLiveSpecification),
});
export interface UpdateTimeToLiveInput extends InputOf<typeof updateTimeToLiveShape> {}

export const updateTimeToLiveOutput = outputShape({
  TimeToLiveSpecification: required(timeToLiveSpecification),
});
export interface UpdateTimeToLiveOutput extends OutputOf<typeof updateTimeToLiveOutput> {}

const coolDownMs = timeLimits.timeToLiveChangeMinutesMin * 60_000;

export const updateTimeToLive = operation<UpdateTimeToLiveInput, UpdateTimeToLiveOutput>(
  updateTimeToLiveShape,
  updateTimeToLiveOutput,
  onTable,
  (road, input) => {
    const { engine } = road;
    const reference = controlTable(road, input.TableName);
    if (reference instanceof DynamoError) return reference;
    const { scope, tableName } = reference;
    const { Enabled: enabled, AttributeName: attributeName } = input.TimeToLiveSpecification;
    const now = nowMs(engine.clock);
    const changed = engine.catalogue.change(scope, tableName, (current) => {
      if (current === undefined) return tableNotFound(tableName);
      const refused =
        busyError(current, statusAt(current, now) as TableStatus) ??
        settingError(current, enabled, attributeName) ??
        (engine.effectsOf(scope, tableName, current).acts('changeQuotas')
          ? coolDownError(current, now)
          : undefined);
      if (refused !== undefined) return refused;
      const { ttl: _, ...description } = current.description;
      const next: TableRecord = {
        ...current,
        description: enabled ? { ...description, ttl: { attributeName } } : description,
        epoch: current.epoch + 1,
        ttlChangedAt: now,
      };
      return enabled ? beginExpiry(next, scope, now) : endExpiry(next);
    });
    return whenDone(changed, async (result) => {
      if (result instanceof DynamoError) return result;
      if (enabled) await engine.indexFiller.begin(result, result.expiry!.slot);
      else engine.removeDropped();
      engine.sweeper.tablesChanged();
      return { TimeToLiveSpecification: input.TimeToLiveSpecification };
    });
  },
);

function settingError(
  { description: { ttl } }: TableRecord,
  enabled: boolean,
  attributeName: string,
): DynamoError | undefined {
  if (ttl === undefined) return enabled ? undefined : validationError('TimeToLive is already disabled');
  if (ttl.attributeName !== attributeName) {
    return validationError(
      `TimeToLive is active on a different AttributeName: current AttributeName is ${ttl.attributeName}`,
    );
  }
  return enabled ? validationError('TimeToLive is already enabled') : undefined;
}

function coolDownError({ ttlChangedAt }: TableRecord, now: number): DynamoError | undefined {
  return ttlChangedAt !== undefined && now >= ttlChangedAt && now - ttlChangedAt < coolDownMs
    ? validationError('Time to live has been modified multiple times within a fixed interval')
    : undefined;
}
