import { tableLimits } from '../../model/limits.ts';
import type { Design, Placement, TableDesign } from '../design.ts';
import { embeddingOf, whyApart } from '../embed/embeddings.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Model, Piece } from '../ir.ts';
import type { Trouble } from '../model-error.ts';
import { ModelFacts } from '../model-facts.ts';
import { mayMeet, type Slot, segmentsOf, whyNotServed } from './serves.ts';

/** Judges a design by its texts alone: every pattern is answered where the plan says, every write finds its item. */
export function checkDesign(model: Model, design: Design): Trouble[] {
  const misplaced = design.tables.flatMap((table) => embeddingTroubles(model, table));
  // A design that embeds what cannot be embedded has no stored model to judge.
  if (misplaced.length > 0) return misplaced;
  return checkStored(storedModel(model, design), design);
}

/** Only what may lie inside its parent does, and where the model says. */
export function embeddingTroubles(model: Model, { embedded = [] }: TableDesign): Trouble[] {
  return embedded.flatMap((one): Trouble[] => {
    const entity = model.entities.find(({ name }) => name === one.entity);
    const where = `entity ${one.entity}`;
    const trouble = (message: string): Trouble[] => [{ where, rule: 'embedding', message }];
    if (entity === undefined) return trouble('the model has no such entity');
    if (entity.mayEmbed === undefined) return trouble('the model does not let it be embedded');
    const why = whyApart(model, entity);
    if (why !== undefined) return trouble(why);
    const right = embeddingOf(model, entity)!;
    const isRight =
      one.parent === right.parent &&
      one.attribute === right.attribute &&
      one.link.join('\n') === right.link.join('\n') &&
      one.entryKey.join('\n') === right.entryKey.join('\n');
    return isRight ? [] : trouble(`it lies in "${right.attribute}" of ${right.parent}, by its own identity`);
  });
}

function checkStored(model: Model, design: Design): Trouble[] {
  const facts = new ModelFacts(model);
  const troubles = design.tables.flatMap((table) => [
    ...slotTroubles(table),
    ...table.placements.flatMap((placement) => placementTroubles(facts, placement)),
    ...collisionTroubles(table),
    ...table.plans.flatMap((plan) => planTroubles(facts, table, plan)),
  ]);
  for (const { name } of model.reads) {
    const plans = design.tables.flatMap(({ plans: all }) => all.filter(({ pattern }) => pattern === name));
    if (plans.length !== 1)
      troubles.push({ where: `read ${name}`, rule: 'one plan', message: `it has ${plans.length} plans` });
  }
  for (const { name } of model.entities) {
    const placed = design.tables.flatMap(({ placements }) =>
      placements.filter((one) => one.entity === name && one.slot === 'table' && one.copy === undefined),
    );
    if (placed.length !== 1)
      troubles.push({
        where: `entity ${name}`,
        rule: 'one item',
        message: `it has ${placed.length} table keys`,
      });
  }
  return troubles;
}

export function slotOf(table: TableDesign, name: string): Slot {
  const index = table.indexes.find((one) => one.name === name);
  const placements = table.placements.filter(({ slot }) => slot === name);
  return { name, placements, ...(index === undefined ? {} : { index }) };
}

function slotTroubles(table: TableDesign): Trouble[] {
  const where = `table ${table.name}`;
  const troubles: Trouble[] = [];
  const countOf = (kind: string) => table.indexes.filter((index) => index.kind === kind).length;
  if (countOf('global') > tableLimits.globalIndexesMax) {
    troubles.push({ where, rule: 'indexes', message: 'it has more global indexes than a table may have' });
  }
  if (countOf('local') > tableLimits.localIndexesMax) {
    troubles.push({ where, rule: 'indexes', message: 'it has more local indexes than a table may have' });
  }
  for (const { slot } of table.placements) {
    if (slot !== 'table' && !table.indexes.some(({ name }) => name === slot)) {
      troubles.push({
        where,
        rule: 'indexes',
        message: `a placement names the index ${slot}, which does not exist`,
      });
    }
  }
  for (const { name, kind } of table.indexes) {
    for (const { entity, partition, slot } of kind === 'local' ? table.placements : []) {
      if (slot !== name) continue;
      const base = table.placements.find(
        (one) => one.entity === entity && one.slot === 'table' && one.copy === undefined,
      );
      if (JSON.stringify(base?.partition) !== JSON.stringify(partition)) {
        troubles.push({
          where: `entity ${entity}`,
          rule: 'local index',
          message: `${name} does not share the table's partition key`,
        });
      }
    }
  }
  return troubles;
}

function placementTroubles(facts: ModelFacts, placement: Placement): Trouble[] {
  const { slot, partition, sort, copy } = placement;
  const entity = facts.entity(placement.entity);
  const where = `entity ${placement.entity}`;
  const troubles: Trouble[] = [];
  const report = (rule: string, message: string) =>
    troubles.push({ where, rule, message: `${slot}: ${message}` });
  const names = [...partition, ...sort].flatMap(attributesOf);
  const pinned = placement.when.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : []));
  const missing = entity.identity.filter((name) => !names.includes(name) && !pinned.includes(name));
  if (missing.length > 0) report('identity', `the key lacks ${missing.join(', ')}`);
  const { tenancy } = facts.model.environment;
  if (tenancy !== undefined && !tenancy.except.includes(entity.name)) {
    const [first] = partition;
    if (first?.kind !== 'attribute' || first.attribute !== tenancy.attribute)
      report('tenancy', 'the tenant does not lead the partition key');
  }
  if (slot !== 'table') return troubles;
  if (placement.when.length > 0) report('sparse', 'the table holds every item');
  for (const name of names) {
    if (facts.attribute(entity, name).optional) report('table key', `"${name}" is optional`);
    if (!entity.identity.includes(name) && !entity.fixed.includes(name))
      report('table key', `"${name}" changes`);
    for (const { name: write, steps } of facts.model.writes) {
      const blind = steps.some(
        (step) => step.entity === entity.name && step.kind !== 'create' && !step.given.includes(name),
      );
      if (blind && copy === undefined)
        report('write address', `${write} does not give "${name}" and cannot compute the key`);
    }
  }
  return troubles;
}

/** Full keys of different entities, and of an item and its copies, can never be the same text. */
function collisionTroubles(table: TableDesign): Trouble[] {
  const troubles: Trouble[] = [];
  const items = table.placements.filter(({ slot }) => slot === 'table');
  items.forEach((one, at) => {
    for (const other of items.slice(at + 1)) {
      const meet =
        mayMeet(segmentsOf(one.partition), segmentsOf(other.partition), true) &&
        mayMeet(segmentsOf(one.sort), segmentsOf(other.sort), true);
      if (meet)
        troubles.push({
          where: `entity ${one.entity}`,
          rule: 'collision',
          message: `its key can equal one of ${other.entity}`,
        });
    }
  });
  return troubles;
}

function planTroubles(facts: ModelFacts, table: TableDesign, plan: TableDesign['plans'][number]): Trouble[] {
  const where = `read ${plan.pattern}`;
  const pattern = facts.model.reads.find(({ name }) => name === plan.pattern);
  if (pattern === undefined) return [{ where, rule: 'one plan', message: 'the model has no such pattern' }];
  const slot = slotOf(table, plan.slot);
  const placements = pattern.entities.map((entity) =>
    slot.placements.find((one) => one.entity === entity && one.copy === plan.copy),
  );
  if (placements.some((one) => one === undefined)) {
    return [{ where, rule: 'one plan', message: `not all of its entities are in ${plan.slot}` }];
  }
  const found = placements as Placement[];
  const why = whyNotServed(facts, slot, found, pattern);
  if (why !== undefined) return [{ where, rule: 'served', message: `${plan.slot}: ${why.message}` }];
  const known = new Set(pattern.by);
  const shards = found[0]!.partition.flatMap((piece) => (piece.kind === 'shard' ? [piece] : []));
  const calls = shards.reduce(
    (product, { of, count }) =>
      product * (found.length === 1 && of.every((name) => known.has(name)) ? 1 : count),
    1,
  );
  if (calls !== plan.calls)
    return [{ where, rule: 'bounded', message: `it takes ${calls} calls, not ${plan.calls}` }];
  return [];
}

function attributesOf(piece: Piece): string[] {
  return piece.kind === 'attribute' || piece.kind === 'bucket' ? [piece.attribute] : [];
}
