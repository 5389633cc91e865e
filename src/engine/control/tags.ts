import { DynamoError, validationError } from '../../model/errors.ts';
import { tableLimits } from '../../model/limits.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import type { Engine } from '../engine.ts';
import { isLeaving } from '../tables/parts/lifecycle.ts';
import type { TableRecord } from '../tables/table-record.ts';
import type { TableName } from '../tables/table-requests.ts';
import type { Tags } from './requests.ts';
import { tagsIntervalError } from './rules/short-intervals.ts';
import { changeTable } from './table-command.ts';

/** Changes the tags of a table, which requests name by its ARN. */
export function changeTags(
  engine: Engine,
  table: TableName,
  arn: string,
  changed: (tags: Tags) => Tags,
): MaybePromise<TableRecord | DynamoError> {
  return changeTable(
    engine,
    table,
    (current, { nowMs, effects }) => {
      if (isLeaving(current)) return taggedNotFound(arn);
      const isSlow = effects.acts('changeQuotas');
      const busy = isSlow ? tagsIntervalError(current, nowMs) : undefined;
      if (busy !== undefined) return busy;
      const tags = changed(current.tags);
      return Object.keys(tags).length > tableLimits.tagsMax
        ? validationError('Number of Tags exceed the current limit for the provided ResourceArn')
        : { put: { ...current, tags, ...(isSlow && { tagsChangedAt: nowMs }) } };
    },
    () => taggedNotFound(arn),
  );
}

/** The misspelt word is the service's. */
export function taggedNotFound(arn: string): DynamoError {
  return new DynamoError(
    'ResourceNotFoundException',
    `Requested resource not found: ResourcArn: ${arn} not found`,
  );
}
