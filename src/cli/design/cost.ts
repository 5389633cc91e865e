import { costOf, type DesignCost } from '../../design/cost/cost-design.ts';
import type { Run } from '../command.ts';
import type { Styler } from '../output.ts';
import { copiesOf, moneyIn, pricesFrom } from '../price-table.ts';
import type { costOptions } from './cost-verb.ts';
import { derivedFrom, readDesign } from './derive.ts';
import { loadModel } from './load-model.ts';
import { grid, paragraph } from './text-grid.ts';

/** Prices a design in every mode. */
export const cost: Run<typeof costOptions> = async (settings, { output, operand, directory }) => {
  const { path, model } = await loadModel(operand, directory, 'cost');
  const given = settings.design.value;
  const design = given === undefined ? derivedFrom(path, model) : readDesign(given);
  const priced = costOf(model, design, {
    basis: {
      prices: pricesFrom(settings.prices.value, settings.currency.value),
      region: settings.region.value,
      tableClass: settings.infrequentAccess.value ? 'STANDARD_INFREQUENT_ACCESS' : 'STANDARD',
    },
    traffic: settings.traffic.value / 100,
    replicas: settings.replicas.value,
    pointInTimeRecovery: !settings.withoutRecovery.value,
    copies: copiesOf(settings),
  });
  output.result('cost', { cost: priced }, (style) => costText(priced, settings.traffic.value, style));
};

function costText(priced: DesignCost, percent: number, style: Styler): string {
  const money = moneyIn(priced.currency);
  const units = (value: number) =>
    value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2).replace(/\.?0+$/, '');
  const size = (bytes: number) => (bytes >= 1e9 ? `${units(bytes / 1e9)} GB` : `${units(bytes / 1e6)} MB`);
  const arms = priced.arms.map((one) => [
    one.arm,
    size(one.storedBytes),
    money(one.storage),
    `${units(one.mean.read)} / ${units(one.peak.read)}`,
    `${units(one.mean.write)} / ${units(one.peak.write)}`,
    money(one.onDemand),
    money(one.provisioned),
  ]);
  const patterns = priced.patterns.map((one) => [
    one.pattern,
    units(one.unitsPerCall.read),
    units(one.unitsPerCall.write),
    one.indexUnits === 0 ? '' : units(one.indexUnits),
    money(one.onDemand),
  ]);
  const modes = priced.modes.map((one) => [
    one.mode === priced.cheapest ? '→' : '',
    one.mode,
    money(one.requests),
    money(one.total),
  ]);
  return [
    `${style('bold', priced.model)}  a month at ${percent} % of the declared mean rates`,
    '',
    style('bold', 'Modes'),
    ...grid(['', 'Mode', 'Requests', 'Total'], modes, style),
    '',
    ...paragraph(tippingText(priced, percent), 2),
    '',
    style('bold', 'In every mode'),
    ...grid(
      ['What', 'Month'],
      priced.always.map(({ what, cost: price }) => [what, money(price)]),
      style,
    ),
    '',
    style('bold', 'Tables and indexes'),
    ...grid(
      ['', 'Stored', 'Storage', 'Reads/s mean / peak', 'Writes/s mean / peak', 'On demand', 'Provisioned'],
      arms,
      style,
    ),
    '',
    style('bold', 'Patterns, on demand'),
    ...grid(['Pattern', 'Reads', 'Writes', 'on indexes', 'Month'], patterns, style),
    '',
    ...paragraph(priced.basis, 2).map((line) => style('dim', line)),
  ].join('\n');
}

function tippingText({ cheapest, tipping }: DesignCost, percent: number): string {
  const share = (value: number) => `${Math.round(value * 100)} %`;
  const uses = `Provisioned units are cheaper than requests from a use of ${share(tipping.use.read)} for reads and ${share(tipping.use.write)} for writes on; the declared day uses ${share(tipping.declaredUse.read)} and ${share(tipping.declaredUse.write)}.`;
  if (tipping.traffic === undefined)
    return `The cheapest is ${cheapest}. Without reservations, ${tipping.above} is cheaper at any traffic of this shape. ${uses}`;
  const at = tipping.traffic * 100;
  const shown = at >= 10 ? Math.round(at).toLocaleString('en-US') : at.toPrecision(2);
  return `The cheapest is ${cheapest}. Without reservations, ${tipping.below} is cheaper below ${shown} % of the declared traffic and ${tipping.above} above it (now ${percent} %). ${uses}`;
}
