import type { PhysicalTable } from './physical-table.ts';

/** Operations whose server errors are added up; the metric exists for each operation alone. */
export const watchedOperations = [
  'GetItem',
  'BatchGetItem',
  'Query',
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'BatchWriteItem',
  'TransactGetItems',
  'TransactWriteItems',
] as const;

/** An alarm in terms that CloudFormation, CDK and Terraform share. */
export interface ThrottleAlarm {
  /** `Read` or `Write`. */
  readonly direction: 'Read' | 'Write';
  readonly metric: 'ReadThrottleEvents' | 'WriteThrottleEvents';
  /** The index, if the alarm watches one. */
  readonly index?: string;
  readonly description: string;
}

/** Minutes in a row with throttled requests before somebody is told. */
export const throttleMinutes = 5;
/** The share of provisioned units above which somebody is told, in percent. */
export const usageThreshold = 80;
/** How far a stream's reader may fall behind. */
export const iteratorAgeMs = 60_000;

/** Throttled reads and writes, of the table and of each global index. A throttled index write throttles the table too. */
export function throttleAlarms(table: PhysicalTable): ThrottleAlarm[] {
  const arms = [undefined, ...table.indexes.filter(({ kind }) => kind === 'global').map(({ name }) => name)];
  return arms.flatMap((index) =>
    (['Read', 'Write'] as const).map((direction): ThrottleAlarm => {
      const where = index === undefined ? `table ${table.name}` : `index ${index} of table ${table.name}`;
      return {
        direction,
        metric: `${direction}ThrottleEvents`,
        ...(index === undefined ? {} : { index }),
        description: `${direction}s of ${where} have been throttled for ${throttleMinutes} minutes.`,
      };
    }),
  );
}
