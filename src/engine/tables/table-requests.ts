import { DynamoError } from '../../model/errors.ts';
import { type MaybePromise, whenAllDone, whenDone } from '../../model/maybe-promise.ts';
import type { Store } from '../../storage/store.ts';
import type { EraWatch } from '../history/era-watch.ts';
import type { Refusals, Road, Touch } from '../road.ts';
import type { Scope } from '../store-keys.ts';
import { stale } from '../writes/write-item.ts';
import type { Catalogue } from './catalogue.ts';
import { sameEpoch, type Table } from './table-record.ts';

/** The parts of the engine that a request to tables needs. */
export interface TableDeps {
  readonly store: Store;
  readonly catalogue: Catalogue;
  table(scope: Scope, name: string): MaybePromise<Table | DynamoError>;
  /** Begins an era of a table before it is written to, if the clock has gone back. */
  readonly past?: { readonly eras: Pick<EraWatch, 'isBehind' | 'begin'> };
}

export interface TableName {
  readonly scope: Scope;
  readonly tableName: string;
}

/** The steps of a request to one or several tables. */
export interface TableSteps<Plan, R, Found = Table> {
  readonly names: readonly TableName[];
  /**
   * Plans the request. Planning ends all validation. Pure: it is called again with the new tables if one has changed.
   */
  plan(tables: readonly Found[]): Plan | DynamoError;
  /** Set if the request writes to the tables. */
  readonly writes?: true;
  /** Set if the request also plans with missing tables. Then `tables` holds their errors too. */
  readonly plansMissing?: Found extends Table ? never : true;
  touches(plan: Plan): readonly Touch[];
  /** Handles refused touches. Without it, the whole request fails with the first error. */
  refused?(refusals: Refusals, plan: Plan): MaybePromise<R | DynamoError | typeof stale>;
  /** Runs the plan. Returns `stale`, having done nothing, if a table has changed since planning. */
  run(plan: Plan): MaybePromise<R | DynamoError | typeof stale>;
}

/**
 * Takes a request along its road: looks up its tables, plans, lets the road judge the touches once, and runs. If a
 * table has changed since planning, the request is planned again. It is also planned again after an error: another
 * process may have replaced a cached table, and an error must be about the current table.
 */
export function onTables<Plan, R, Found = Table>(
  deps: TableDeps,
  road: Road,
  steps: TableSteps<Plan, R, Found>,
): MaybePromise<R | DynamoError> {
  return attempt(deps, road, steps, undefined);
}

/** What the road let pass, which holds for every plan of one request. */
interface Passage {
  readonly refusals: Refusals | undefined;
}

function attempt<Plan, R, Found>(
  deps: TableDeps,
  road: Road,
  steps: TableSteps<Plan, R, Found>,
  passage: Passage | undefined,
): MaybePromise<R | DynamoError> {
  const { names } = steps;
  if (names.length === 1) {
    const { scope, tableName } = names[0]!;
    return whenDone(deps.table(scope, tableName), (table) => planAndRun(deps, road, steps, [table], passage));
  }
  return whenDone(whenAllDone(lookUp(deps, names)), (found) => planAndRun(deps, road, steps, found, passage));
}

function planAndRun<Plan, R, Found>(
  deps: TableDeps,
  road: Road,
  steps: TableSteps<Plan, R, Found>,
  found: readonly (Table | DynamoError)[],
  passage: Passage | undefined,
): MaybePromise<R | DynamoError> {
  if (steps.plansMissing !== true) {
    for (const table of found) if (table instanceof DynamoError) return table;
  }
  const { past } = deps;
  if (steps.writes && past !== undefined) {
    const behind = found.find(
      (table): table is Table => !(table instanceof DynamoError) && past.eras.isBehind(table),
    );
    if (behind !== undefined)
      return whenDone(past.eras.begin(behind), () => {
        deps.catalogue.forget(behind);
        return attempt(deps, road, steps, passage);
      });
  }
  const rejudged = road.rejudge(found);
  if (rejudged === undefined) return planned(deps, road, steps, found, passage);
  return whenDone(
    rejudged,
    (refusal): MaybePromise<R | DynamoError> => refusal ?? planned(deps, road, steps, found, passage),
  );
}

function planned<Plan, R, Found>(
  deps: TableDeps,
  road: Road,
  steps: TableSteps<Plan, R, Found>,
  found: readonly (Table | DynamoError)[],
  passage: Passage | undefined,
): MaybePromise<R | DynamoError> {
  const plan = steps.plan(found as readonly Found[]);
  if (plan instanceof DynamoError) {
    return unlessStale(deps, found, plan, () => attempt(deps, road, steps, passage));
  }
  const judged = passage ?? { refusals: road.pass(() => steps.touches(plan)) };
  const { refusals } = judged;
  const done = refusals === undefined ? steps.run(plan) : refuse(steps, refusals, plan);
  return whenDone(done, (result): MaybePromise<R | DynamoError> => {
    if (result !== stale) return result as R | DynamoError;
    for (const table of tablesOf(found)) deps.catalogue.forget(table);
    return attempt(deps, road, steps, judged);
  });
}

function refuse<Plan, R, Found>(
  steps: TableSteps<Plan, R, Found>,
  refusals: Refusals,
  plan: Plan,
): MaybePromise<R | DynamoError | typeof stale> {
  return steps.refused === undefined ? refusals.first : steps.refused(refusals, plan);
}

/** Looks up the tables. Equal names get the same object. */
function lookUp(deps: TableDeps, names: readonly TableName[]): MaybePromise<Table | DynamoError>[] {
  const byName = new Map<string, MaybePromise<Table | DynamoError>>();
  return names.map(({ scope, tableName }) => {
    const id = `${scope.account}/${scope.region}/${tableName}`;
    const table = byName.get(id) ?? deps.table(scope, tableName);
    byName.set(id, table);
    return table;
  });
}

/** Returns the error if it is about the current tables, and tries again otherwise. */
function unlessStale<R>(
  { store, catalogue }: TableDeps,
  found: readonly (Table | DynamoError)[],
  error: DynamoError,
  again: () => MaybePromise<R | DynamoError>,
): MaybePromise<R | DynamoError> {
  if (store.exclusive) return error;
  const known = tablesOf(found);
  return whenDone(
    store.getMany(known.map(({ epochKey }) => epochKey)),
    (epochs): MaybePromise<R | DynamoError> => {
      const changed = known.filter((table, i) => !sameEpoch(epochs[i], table.epoch));
      for (const table of changed) catalogue.forget(table);
      return changed.length > 0 ? again() : error;
    },
  );
}

function tablesOf(found: readonly (Table | DynamoError)[]): readonly Table[] {
  return [...new Set(found)].filter((table): table is Table => !(table instanceof DynamoError));
}
