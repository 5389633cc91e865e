import { type CapacityPlan, capacityPlan } from '../design/index.ts';
import type { Run } from './command.ts';
import { grid } from './design/text-grid.ts';
import { UsageError } from './failure.ts';
import type { Styler } from './output.ts';
import { copiesOf, moneyIn, pricesFrom } from './price-table.ts';
import type { capacityOptions } from './tool-flags.ts';

/** Tells the capacity units of a workload, and what they cost in both modes. */
export const capacity: Run<typeof capacityOptions> = (settings, { output }) => {
  const { itemSize, reads, writes, consistency, gsiCount, gsiItemSize, items, meanLoad, target } = settings;
  if (itemSize.value === undefined)
    throw new UsageError('capacity needs the size of an item.', 'Write --item-size 2.5 for 2.5 KB.');
  if (reads.value === 0 && writes.value === 0)
    throw new UsageError(
      'There is nothing to plan for.',
      'Write --reads, --writes or both, in calls a second.',
    );
  const workload = {
    itemBytes: Math.ceil(itemSize.value * 1_024),
    reads: reads.value,
    writes: writes.value,
    consistency: consistency.value,
    globalIndexes: gsiCount.value,
    ...(gsiItemSize.value === undefined ? {} : { indexBytes: Math.ceil(gsiItemSize.value * 1_024) }),
    items: items.value,
    meanLoad: meanLoad.value / 100,
    target: target.value / 100,
  };
  const { region, tableClass, freeTier, prices, currency, recovery, streamReaders } = settings;
  const plan = capacityPlan(workload, {
    region: region.value,
    tableClass: tableClass.value,
    withFreeTier: freeTier.value,
    prices: pricesFrom(prices.value, currency.value),
    pointInTimeRecovery: recovery.value,
    streamReaders: streamReaders.value,
    copies: copiesOf(settings),
  });
  output.result('capacity', { workload, ...plan }, (style) =>
    planText(plan, target.value, meanLoad.value, style),
  );
  return Promise.resolve();
};

function planText(plan: CapacityPlan, target: number, meanLoad: number, style: Styler): string {
  const { table, indexes, provisioned, costs, breakEven } = plan;
  const money = moneyIn(plan.currency);
  const units = grid(
    ['', 'Per call', 'Per second', `Provisioned at ${target} %`],
    [
      ['Reads', figure(plan.perRead), figure(table.read), figure(provisioned.read)],
      [
        'Writes to the table',
        figure(plan.perWrite),
        figure(table.write),
        indexes.count === 0 ? figure(provisioned.write) : '',
      ],
      ...(indexes.count === 0
        ? []
        : [
            [
              `Writes to ${indexes.count} ${indexes.count === 1 ? 'index' : 'indexes'}`,
              figure(plan.perIndexWrite * indexes.count),
              figure(indexes.write),
              '',
            ],
            ['Writes in all', '', figure(table.write + indexes.write), figure(provisioned.write)],
          ]),
    ],
    style,
  );
  const bills = costs.flatMap((cost, at) => [
    ...(at === 0 ? [] : ['']),
    `  ${style('bold', cost.name)}  ${style(cost.name === plan.cheapest ? 'green' : 'bold', money(cost.total))} a month`,
    ...grid(
      ['', '', '', ''],
      cost.lines.map(({ what, quantity, unit, cost: price }) => [what, figure(quantity), unit, money(price)]),
      style,
      4,
    ).slice(1),
  ]);
  const percent = (share: number) => `${figure(share * 100)} %`;
  return [
    style('bold', 'Capacity units'),
    ...units,
    '',
    style('bold', `A month${meanLoad === 100 ? '' : `, with ${meanLoad} % of these rates on average`}`),
    ...bills,
    '',
    `Without a commitment, ${plan.cheapest} is cheaper. Provisioned units pay off when more than ${percent(breakEven.write)} of the write`,
    `units and ${percent(breakEven.read)} of the read units are used on average.`,
    style('dim', plan.basis),
  ].join('\n');
}

function figure(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
