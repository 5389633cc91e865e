import { DynamoError, validationError } from '../../model/errors.ts';
import { timeLimits } from '../../model/limits.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import type { Engine } from '../engine.ts';
import { beginExpiry, endExpiry } from '../expiry/expiry-life.ts';
import { statusAt, type TableStatus } from '../tables/parts/lifecycle.ts';
import type { TableRecord } from '../tables/table-record.ts';
import type { TableName } from '../tables/table-requests.ts';
import { busyError } from './phases.ts';
import { changeTable } from './table-command.ts';

export interface TimeToLiveRequest {
  readonly enabled: boolean;
  readonly attributeName: string;
}

/** Switches Time to Live of a table on or off. Answers the refusal, if there is one. */
export function updateTimeToLive(
  engine: Engine,
  table: TableName,
  { enabled, attributeName }: TimeToLiveRequest,
): MaybePromise<DynamoError | undefined> {
  const changed = changeTable(engine, table, (current, { nowMs, effects }) => {
    const refused =
      busyError(current, statusAt(current, nowMs) as TableStatus) ??
      settingError(current, enabled, attributeName) ??
      (effects.acts('changeQuotas') ? coolDownError(current, nowMs) : undefined);
    if (refused !== undefined) return refused;
    const { ttl: _, ...description } = current.description;
    const next: TableRecord = {
      ...current,
      description: enabled ? { ...description, ttl: { attributeName } } : description,
      epoch: current.epoch + 1,
      ttlChangedAt: nowMs,
    };
    return enabled ? beginExpiry(next, table.scope, nowMs) : endExpiry(next);
  });
  return whenDone(changed, async (result) => {
    if (result instanceof DynamoError) return result;
    if (enabled) await engine.indexFiller.begin(result, result.expiry!.slot);
    else engine.jobs.wake();
    engine.sweeper.tablesChanged();
    return undefined;
  });
}

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

const coolDownMs = timeLimits.timeToLiveChangeMinutesMin * 60_000;

function coolDownError({ ttlChangedAt }: TableRecord, now: number): DynamoError | undefined {
  return ttlChangedAt !== undefined && now >= ttlChangedAt && now - ttlChangedAt < coolDownMs
    ? validationError('Time to live has been modified multiple times within a fixed interval')
    : undefined;
}
