import { itemWriteUnits, transactionFactor } from '../../physics/units.ts';
import { entryBytes } from '../check/forecast.ts';
import type { Placement, TableDesign } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import { ModelFacts } from '../model-facts.ts';
import type { Prices } from '../prices.ts';
import type {
  EntityCleanup,
  EntityWork,
  MigrationForecast,
  MigrationPlan,
  Phase,
  Step,
  StepCost,
} from './migration-plan.ts';
import { movingCopy, phaseVersion } from './phase-version.ts';

export interface Rates {
  readonly readRate: number;
  readonly writeRate: number;
}

type Versions = Pick<MigrationPlan, 'from' | 'to'>;

/** A half unit for four kilobytes: backfills read as it comes cheapest. */
const bytesPerReadUnit = 8_192;

/** Says of each step that touches items what it costs and how long it takes, from the populations of the model. */
export function forecastSteps(
  versions: Versions,
  steps: readonly Step[],
  rates: Rates,
  prices: Prices,
): Step[] {
  const facts = new ModelFacts(storedModel(versions.to.model, versions.to.design));
  return steps.map((step): Step => {
    if (step.kind === 'create-index')
      return { ...step, cost: indexCost(facts, versions, step, rates, prices) };
    if (step.kind !== 'backfill' && step.kind !== 'verify' && step.kind !== 'cleanup') return step;
    const table = phaseVersion(versions, 'dual-write').design.tables.find(({ name }) => name === step.table)!;
    const itemsOf = (entity: string) => facts.total(facts.entity(entity));
    const bytes = table.entities.reduce(
      (sum, entity) => sum + itemsOf(entity) * facts.itemBytes(facts.entity(entity)),
      0,
    );
    const all = table.entities.reduce((sum, entity) => sum + itemsOf(entity), 0);
    const moving = step.work.reduce(
      (sum, { entity, copies }) => sum + itemsOf(entity) * Math.min(1, copies.length),
      0,
    );
    let [readUnits, writeUnits, indexUnits] = [bytes / bytesPerReadUnit, 0, 0];
    // The items under the new keys are compared one by one.
    if (step.kind === 'verify') readUnits += moving;
    if (step.kind === 'backfill')
      for (const work of step.work) {
        const units = backfillUnits(facts, table, work);
        writeUnits += units.table * work.items;
        indexUnits += units.indexes * work.items;
      }
    if (step.kind === 'cleanup')
      for (const work of step.work) {
        const units = cleanupUnits(facts, versions, step.table, work);
        writeUnits += units.table;
        indexUnits += units.indexes;
      }
    return {
      ...step,
      cost: costOf(Math.round(all), readUnits, writeUnits, indexUnits, rates, prices),
    };
  });
}

/** Units of one item's backfill. */
function backfillUnits(facts: ModelFacts, table: TableDesign, work: EntityWork) {
  const entity = facts.entity(work.entity);
  const item = itemWriteUnits(undefined, facts.itemBytes(entity));
  const items = work.copies.length + work.unique.length;
  const entries = table.placements.filter(
    ({ entity: of, slot, carriers = [0] }) =>
      of === work.entity && slot !== 'table' && (work.slots.includes(slot) || carriers.includes(movingCopy)),
  );
  const indexes = entries.reduce((sum, placement) => {
    const index = table.indexes.find(({ name }) => name === placement.slot);
    return sum + itemWriteUnits(undefined, entryBytes(facts, placement, index));
  }, 0);
  // A check of the old item and one new item for each copy or guard, in a transaction; else one update.
  return { table: items === 0 ? item : transactionFactor * item * (1 + items), indexes };
}

/** Units of what is taken from all items of an entity: only items that have something to lose are written. */
function cleanupUnits(facts: ModelFacts, versions: Versions, name: string, work: EntityCleanup) {
  const tableIn = (phase: Phase) =>
    phaseVersion(versions, phase).design.tables.find((one) => one.name === name)!;
  const [flipped, done] = [tableIn('flipped'), tableIn('done')];
  const entity = facts.entity(work.entity);
  const total = facts.total(entity);
  const share = ({ when }: Placement) =>
    when.reduce((product, predicate) => product * facts.holds(entity, predicate), 1);
  const own = flipped.placements.filter((one) => one.entity === work.entity);
  const deleted = own
    .filter(({ slot, copy = 0 }) => slot === 'table' && work.copies.includes(copy))
    .reduce((sum, one) => sum + share(one), 0);
  const isCarried = ({ carriers = [0] }: Placement) => carriers.some((one) => !work.copies.includes(one));
  const left = own.filter((one) => {
    const index = flipped.indexes.find(({ name: slot }) => slot === one.slot);
    return index !== undefined && isCarried(one) && work.attributes.includes(index.sortKey);
  });
  const stripped = Math.min(
    1,
    left.reduce((sum, one) => sum + share(one), 0),
  );
  // Indexes that go are gone by then.
  const entries = own.filter(
    (one) =>
      done.indexes.some(({ name: slot }) => slot === one.slot) && (left.includes(one) || !isCarried(one)),
  );
  const item = itemWriteUnits(facts.itemBytes(entity), undefined);
  return {
    table: total * ((deleted + stripped) * item + work.unique.length),
    indexes: entries.reduce((sum, one) => {
      const index = done.indexes.find(({ name: slot }) => slot === one.slot);
      return sum + total * share(one) * itemWriteUnits(entryBytes(facts, one, index), undefined);
    }, 0),
  };
}

/** The service fills an index alone with the items that have its key attributes already. */
function indexCost(
  facts: ModelFacts,
  versions: Versions,
  { table: name, index }: { readonly table: string; readonly index: string },
  rates: Rates,
  prices: Prices,
): StepCost {
  const tableIn = (phase: 'before' | 'done') =>
    phaseVersion(versions, phase).design.tables.find((one) => one.name === name)!;
  const made = tableIn('done').indexes.find((one) => one.name === index)!;
  const before = versions.from.design.tables.find((one) => one.name === name)!;
  const same = before.indexes.find(({ partitionKey }) => partitionKey === made.partitionKey);
  let [items, units] = [0, 0];
  for (const placement of same === undefined
    ? []
    : before.placements.filter(({ slot }) => slot === same.name)) {
    const entity = facts.model.entities.find((one) => one.name === placement.entity);
    if (entity === undefined) continue;
    const entries =
      facts.total(entity) * placement.when.reduce((share, one) => share * facts.holds(entity, one), 1);
    items += entries;
    units += entries * itemWriteUnits(undefined, entryBytes(facts, placement, made));
  }
  return costOf(Math.round(items), 0, 0, units, rates, prices);
}

function costOf(
  items: number,
  readUnits: number,
  writeUnits: number,
  indexUnits: number,
  { readRate, writeRate }: Rates,
  prices: Prices,
): StepCost {
  return {
    items,
    readUnits: Math.ceil(readUnits),
    writeUnits: Math.ceil(writeUnits),
    indexUnits: Math.ceil(indexUnits),
    dollars: readUnits * prices.readUnit + (writeUnits + indexUnits) * prices.writeUnit,
    seconds: Math.max(readUnits / readRate, writeUnits / writeRate, indexUnits / writeRate),
  };
}

export function forecastTotal(steps: readonly Step[], rates: Rates, monthly: number): MigrationForecast {
  const sum = (of: (cost: StepCost) => number) =>
    steps.reduce((total, { cost }) => total + (cost === undefined ? 0 : of(cost)), 0);
  return {
    ...rates,
    readUnits: sum((one) => one.readUnits),
    writeUnits: sum((one) => one.writeUnits),
    indexUnits: sum((one) => one.indexUnits),
    dollars: sum((one) => one.dollars),
    seconds: sum((one) => one.seconds),
    monthly,
  };
}
