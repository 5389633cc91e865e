import { checkDesign } from '../certificate/check-design.ts';
import { derive } from '../derive/derive.ts';
import type { Design, TableDesign } from '../design.ts';
import type { Model } from '../ir.ts';
import { ModelError, type Trouble } from '../model-error.ts';
import { listPrices, type Prices } from '../prices.ts';
import { alignIndexes } from './align-indexes.ts';
import { diffModels } from './diff-models.ts';
import { diffTable, type TableDiff } from './diff-tables.ts';
import { forecastSteps, forecastTotal } from './forecast-steps.ts';
import {
  type Change,
  type MigrationPlan,
  type ModelVersion,
  migrationFormat,
  type Phase,
  type Step,
} from './migration-plan.ts';
import { phaseVersion } from './phase-version.ts';
import { embeddingTroubles, withoutNewEmbedding } from './same-embedding.ts';

/** Options of a plan: how fast the migration reads and writes, prices. */
export interface MigrationOptions {
  /** Units a second that backfills may use, for the forecast. */
  readonly readRate?: number;
  readonly writeRate?: number;
  readonly prices?: Prices;
}

/** A version without a design gets the derived one; that of the new model keeps names of the old design where it can. */
export interface GivenVersion {
  readonly model: Model;
  readonly design?: Design;
}

/**
 * Plans how tables of one model become those of another while programs go on: what is only added, which indexes are
 * created, which items need what, when readers change over, and where the way back is. Throws a `ModelError` where no
 * such way exists. The same versions give the same plan.
 */
export function planMigration(
  from: GivenVersion,
  to: GivenVersion,
  options: MigrationOptions = {},
): MigrationPlan {
  if (from.model.name !== to.model.name)
    throw refused(to.model, {
      where: `model ${to.model.name}`,
      rule: 'one model',
      message: `the versions are of two models, ${from.model.name} and ${to.model.name}`,
    });
  const old: ModelVersion = { model: plain(from.model), design: from.design ?? derive(from.model) };
  const derivable = withoutNewEmbedding(to.model, from.model, old.design);
  const given = to.design ?? derive(derivable, { previous: old.design });
  const model = diffModels(old.model, to.model);
  const aligned = given.tables.map((next) => {
    const before = old.design.tables.find(({ name }) => name === next.name);
    return before === undefined ? { table: next, troubles: [] } : alignIndexes(before, next);
  });
  const next: ModelVersion = {
    model: plain(to.model),
    design: { ...given, tables: aligned.map(({ table }) => table) },
  };
  const versions = { from: old, to: next };
  const tables = next.design.tables.flatMap((table): TableDiff[] => {
    const before = old.design.tables.find(({ name }) => name === table.name);
    return before === undefined ? [] : [diffTable(before, table, versions)];
  });
  const troubles = [
    ...model.troubles,
    ...aligned.flatMap((one) => one.troubles),
    ...tables.flatMap((one) => one.troubles),
    ...betweenTables(old.design, next.design),
    ...embeddingTroubles(old.model, old.design, next.design),
  ];
  if (troubles.length === 0) troubles.push(...phaseTroubles(versions));
  if (troubles.length > 0) throw new ModelError(to.model.name, troubles);

  const created = next.design.tables.filter(
    ({ name }) => !old.design.tables.some((one) => one.name === name),
  );
  const gone = old.design.tables.filter(({ name }) => !next.design.tables.some((one) => one.name === name));
  const changes: Change[] = [
    ...model.changes,
    ...created.map(
      ({ name }): Change => ({ change: 'added', what: 'table', name, additive: true, text: 'created empty' }),
    ),
    ...tables.flatMap((one) => one.changes),
    ...gone.map(
      ({ name }): Change => ({
        ...{ change: 'removed', what: 'table', name, additive: false },
        text: 'no longer used; it stays until somebody deletes it',
      }),
    ),
  ];
  const rates = { readRate: options.readRate ?? 1_000, writeRate: options.writeRate ?? 500 };
  const steps = forecastSteps(versions, stepsOf(created, tables), rates, options.prices ?? listPrices);
  return {
    format: migrationFormat,
    id: planId({ ...versions, steps }),
    model: to.model.name,
    ...versions,
    changes,
    steps,
    warnings: [...model.warnings, ...tables.flatMap((one) => one.warnings)],
    forecast: forecastTotal(steps, rates, next.design.monthly - old.design.monthly),
  };
}

/** Only what the JSON form holds: a model of the language carries types for the compiler. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function refused(model: Model, trouble: Trouble): ModelError {
  return new ModelError(model.name, [trouble]);
}

function betweenTables(old: Design, next: Design): Trouble[] {
  return next.tables.flatMap((table) =>
    table.entities.flatMap((entity): Trouble[] => {
      const before = old.tables.find(({ entities }) => entities.includes(entity));
      if (before === undefined || before.name === table.name) return [];
      return [
        {
          where: `entity ${entity}`,
          rule: 'one table',
          message: `it would move from table ${before.name} to table ${table.name}, and a transaction of both keys has to stay in one table`,
          fix: 'Copy it with stator export and stator import, or keep it in its table.',
        },
      ];
    }),
  );
}

/** Every phase is a design by itself and is judged as one: readers of either version must not meet what is not theirs. */
function phaseTroubles(versions: Pick<MigrationPlan, 'from' | 'to'>): Trouble[] {
  // Keys by hand may have troubles of their own, which a migration neither makes nor mends.
  const known = new Set(
    [versions.from, versions.to].flatMap(({ model, design }) => checkDesign(model, design).map(ruleOf)),
  );
  return (['dual-write', 'flipped'] as const).flatMap((phase) => {
    const { model, design } = phaseVersion(versions, phase);
    const troubles = checkDesign(model, design).filter((one) => !known.has(ruleOf(one)));
    return troubles.map(
      (one): Trouble => ({
        where: `${one.where}, in the phase ${phase}`,
        rule: one.rule,
        message: one.message,
        fix: 'Items of both versions lie side by side for a while. Give the entity keys by hand under which they cannot meet.',
      }),
    );
  });
}

function ruleOf({ where, rule }: Trouble): string {
  return `${where} ${rule}`;
}

const titles: Readonly<Record<Exclude<Phase, 'before'>, string>> = {
  'dual-write': 'programs write old and new keys, and read by the old ones',
  flipped: 'readers change over to the new keys',
  done: 'programs leave the old keys alone',
};

function stepsOf(created: readonly TableDesign[], tables: readonly TableDiff[]): Step[] {
  const steps: Step[] = [];
  const phase = (to: Exclude<Phase, 'before'>, rollback: Step['rollback']) =>
    steps.push({
      ...{ id: `phase ${to}`, kind: 'phase', phase: to, title: titles[to] },
      ...(rollback === undefined ? {} : { rollback }),
    });
  for (const { name } of created)
    steps.push({
      id: `create-table ${name}`,
      kind: 'create-table',
      table: name,
      title: `create table ${name}`,
      rollback: 'start',
    });
  for (const { table, createdIndexes } of tables)
    for (const index of createdIndexes)
      steps.push({
        ...{ id: `create-index ${table}.${index}`, kind: 'create-index', table, index, rollback: 'start' },
        title: `create index ${index} of ${table} and wait until it is active`,
      });
  if (!tables.some(({ differs }) => differs)) {
    // Nothing that exists changes: programs of both versions write the same.
    steps.push({
      id: 'phase done',
      kind: 'phase',
      phase: 'done',
      title: 'programs of the new model may run',
    });
    return steps;
  }
  phase('dual-write', 'start');
  for (const { table, work } of tables)
    if (work.length > 0)
      steps.push({
        ...{ id: `backfill ${table}`, kind: 'backfill', table, work, rollback: 'start' },
        title: `backfill ${work.map(({ entity }) => entity).join(', ')} in ${table}`,
      });
  for (const { table, work } of tables)
    if (work.length > 0)
      steps.push({
        ...{ id: `verify ${table}`, kind: 'verify', table, work, rollback: 'start' },
        title: `reconcile ${table}: every item, the counts, and a sample read by the new keys`,
      });
  phase('flipped', 'dual-write');
  const ends = tables.filter(({ cleanup, deletedIndexes }) => cleanup.length + deletedIndexes.length > 0);
  for (const { table, work } of ends)
    if (work.some(({ moves }) => moves))
      steps.push({
        ...{ id: `verify-again ${table}`, kind: 'verify', table, work, rollback: 'dual-write' },
        title: `reconcile ${table} once more before anything is deleted`,
      });
  phase('done', undefined);
  for (const { table, deletedIndexes } of ends)
    for (const index of deletedIndexes)
      steps.push({
        ...{ id: `delete-index ${table}.${index}`, kind: 'delete-index', table, index },
        title: `delete index ${index} of ${table}`,
      });
  for (const { table, cleanup } of ends)
    if (cleanup.length > 0)
      steps.push({
        ...{ id: `cleanup ${table}`, kind: 'cleanup', table, work: cleanup },
        title: `take away what only the old keys needed in ${table}`,
      });
  return steps;
}

/**
 * Two FNV-1a digests of the versions and of what the steps do, as text. Titles and costs are left out: the same versions
 * make the same migration at any rate. A plan whose id does not fit was changed after it was written.
 */
export function planId({ from, to, steps }: Pick<MigrationPlan, 'from' | 'to' | 'steps'>): string {
  const text = JSON.stringify([from, to, steps.map(({ title: _, cost: __, ...does }) => does)]);
  const digest = (seed: number) => {
    let hash = seed;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
    return hash.toString(16).padStart(8, '0');
  };
  return digest(0x811c9dc5) + digest(0x9e3779b9);
}
