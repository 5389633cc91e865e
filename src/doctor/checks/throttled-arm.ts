import type { ToldVerdict } from '../../engine/capacity/physics-report.ts';
import type { Point } from '../metric-book.ts';
import type { Arm, Context, TableView } from '../table-view.ts';

const causes = [
  'KeyRangeThroughput',
  'ProvisionedThroughput',
  'AccountLimit',
  'MaxOnDemandThroughput',
] as const;
export type Cause = (typeof causes)[number];
export type Kind = 'Read' | 'Write';

/** What is known of the throttles of a table or index in one direction. */
export interface Throttled {
  readonly view: TableView;
  readonly arm: Arm;
  readonly kind: Kind;
  /** Throttle events, and those of them that happened; the others would have happened on AWS. */
  readonly events: number;
  readonly enforced: number;
  readonly byCause: Readonly<Record<Cause, number>>;
  /** Minutes with throttles, oldest first. */
  readonly minutes: readonly Point[];
  /** Units consumed, minute by minute. */
  readonly consumed: readonly Point[];
  /** Units a second that are provisioned; undefined on demand. */
  readonly provisioned: number | undefined;
  /** The share of provisioned units that the busiest minute with throttles used. */
  readonly use: number | undefined;
  /** The explanations of the model, most refusals first. */
  readonly verdicts: readonly ToldVerdict[];
}

/** The throttles of an arm; undefined if there were none. */
export function throttledArm(
  view: TableView,
  arm: Arm,
  kind: Kind,
  { metrics }: Context,
): Throttled | undefined {
  const { name: table } = view;
  const { index } = arm;
  const sum = (metric: string, isShadow: boolean) => metrics.sum(table, { metric, index, isShadow });
  const enforced = sum(`${kind}ThrottleEvents`, false);
  const events = enforced + sum(`${kind}ThrottleEvents`, true);
  if (events === 0) return undefined;
  const byCause = Object.fromEntries(
    causes.map((cause) => {
      const metric = `${kind}${cause}ThrottleEvents`;
      return [cause, sum(metric, false) + sum(metric, true)];
    }),
  ) as Record<Cause, number>;
  const minutes = added(
    metrics.points(table, { metric: `${kind}ThrottleEvents`, index }),
    metrics.points(table, { metric: `${kind}ThrottleEvents`, index, isShadow: true }),
  );
  const consumed = metrics.points(table, { metric: `Consumed${kind}CapacityUnits`, index });
  const provisioned = kind === 'Read' ? arm.provisioned?.read : arm.provisioned?.write;
  const during = new Set(minutes.map(({ atMs }) => atMs));
  const peak = Math.max(0, ...consumed.filter(({ atMs }) => during.has(atMs)).map(({ value }) => value));
  const use = provisioned === undefined ? undefined : peak / 60 / provisioned;
  // Accounts without the metrics of causes have the totals only: the signature of a hot key is room in the table.
  if (causes.every((cause) => byCause[cause] === 0)) {
    const isHot = use === undefined ? true : use < 0.5;
    byCause[isHot ? 'KeyRangeThroughput' : 'ProvisionedThroughput'] = events;
  }
  const verdicts = (view.verdicts ?? [])
    .filter(({ indexName, kind: own }) => indexName === index && own === kind.toLowerCase())
    .filter(({ lastMs }) => lastMs >= metrics.fromMs)
    .sort((a, b) => b.count - a.count);
  return { view, arm, kind, events, enforced, byCause, minutes, consumed, provisioned, use, verdicts };
}

function added(...all: readonly (readonly Point[])[]): Point[] {
  const sums = new Map<number, number>();
  for (const { atMs, value } of all.flat()) sums.set(atMs, (sums.get(atMs) ?? 0) + value);
  return [...sums].sort(([a], [b]) => a - b).map(([atMs, value]) => ({ atMs, value }));
}
