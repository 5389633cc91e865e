import { boolean, list, oneOf, required, string, structure } from '../../operations/shapes/shape.ts';
import type { ListedMetric } from '../metrics.ts';
import { minuteOf } from '../metrics.ts';
import { onMetrics } from './api-intents.ts';
import { invalidNextToken, invalidValue } from './cloudwatch-errors.ts';
import { metricOperation, metricShape, name255 } from './cloudwatch-shapes.ts';
import { readToken, writeToken } from './next-token.ts';

const pageSize = 500;
const recentMinutes = 3 * 60;

export const listMetrics = metricOperation(
  'ListMetrics',
  onMetrics,
  {
    Namespace: string({ min: 1, max: 255 }),
    MetricName: name255,
    Dimensions: list(
      structure('DimensionFilter', { Name: required(name255), Value: string({ min: 1, max: 1024 }) }),
      { max: 10 },
    ),
    NextToken: string(),
    RecentlyActive: oneOf('PT3H'),
    IncludeLinkedAccounts: boolean,
    OwningAccount: name255,
  },
  { Metrics: list(metricShape), NextToken: string(), OwningAccounts: list(string()) },
  async ({ metrics, nowMs, slices }, input, { accountId, region }) => {
    const { Namespace, MetricName, Dimensions, NextToken, RecentlyActive } = input;
    if (input.OwningAccount !== undefined && input.OwningAccount !== accountId)
      return invalidValue('Metrics of other accounts are not supported by Stator.');
    const request = JSON.stringify([Namespace, MetricName, Dimensions, RecentlyActive]);
    const [from = 0] = NextToken === undefined ? [] : (readToken(request, NextToken) ?? ['wrong']);
    if (!Number.isSafeInteger(from)) return invalidNextToken();
    const all = await metrics.list(
      { accountId, region },
      {
        ...(Namespace !== undefined && { namespace: Namespace }),
        ...(MetricName !== undefined && { name: MetricName }),
        ...(Dimensions !== undefined && {
          dimensions: Dimensions.map(({ Name, Value }) => ({
            name: Name,
            ...(Value !== undefined && { value: Value }),
          })),
        }),
      },
    );
    const now = minuteOf(nowMs());
    await slices.spend(all.length);
    const page: object[] = [];
    let at = from as number;
    for (; at < all.length && page.length < pageSize; at++) {
      const metric = all[at]!;
      if (RecentlyActive !== undefined) {
        await slices.spend(recentMinutes);
        const points = await metrics.read(metric, now - recentMinutes, now + 1, recentMinutes + 1);
        if (points.length === 0) continue;
      }
      page.push(shown(metric));
    }
    return {
      Metrics: page,
      ...(at < all.length && { NextToken: writeToken(request, [at]) }),
      ...(input.IncludeLinkedAccounts === true && { OwningAccounts: page.map(() => accountId) }),
    };
  },
);

function shown({ namespace, name, dimensions }: ListedMetric): object {
  return {
    Namespace: namespace,
    MetricName: name,
    Dimensions: dimensions.map((dimension) => ({ Name: dimension.name, Value: dimension.value })),
  };
}
