import type { Caller } from '../../engine/events.ts';
import type { Scope } from '../../engine/store-keys.ts';
import { apiOperations } from '../../operations/api/api-operation.ts';
import { shapeError } from '../cloudwatch/cloudwatch-errors.ts';
import type { MetricContext } from '../cloudwatch/cloudwatch-shapes.ts';
import type { AlarmBook } from './alarm-book.ts';
import type { AlarmEvaluator } from './alarm-evaluator.ts';

/** What the operations on alarms work with. */
export interface AlarmContext extends MetricContext {
  readonly book: AlarmBook;
  readonly evaluator: AlarmEvaluator;
  /** Tells whoever evaluates alarms that one was put. */
  readonly alarmChanged: (scope: Scope, name: string) => void;
}

export const alarmOperation = apiOperations<AlarmContext>('cloudwatch', shapeError);

export function scopeOf({ accountId, region }: Caller): Scope {
  return { account: accountId, region };
}
