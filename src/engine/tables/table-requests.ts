import { DynamoError } from '../../model/errors.ts';
import { type MaybePromise, whenAllDone, whenDone } from '../../model/maybe-promise.ts';
import type { Store } from '../../storage/store.ts';
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
}

export interface TableName {
  readonly scope: Scope;
  readonly tableName: string;
}

/** A request to one or several tables, as the steps between the look-up of its tables and its result. */
export interface TableSteps<Plan, R, Found = Table> {
  readonly names: readonly TableName[];
  /** Pure, and the end of all validation: called again, with the tables as they are then, when one has changed. */
  plan(tables: readonly Found[]): Plan | DynamoError;
  /** Set by a request that plans with missing tables too: their errors then stand among its tables. */
  readonly plansMissing?: Found extends Table ? never : true;
  touches(plan: Plan): readonly Touch[];
  /** How the request fails when touches are refused; as a whole, with the first error, unless given. */
  refused?(refusals: Refusals, plan: Plan): MaybePromise<R | DynamoError | typeof stale>;
  /** Answers `stale` when it finds that a table is no longer the one it was planned for; nothing was done then. */
  run(plan: Plan): MaybePromise<R | DynamoError | typeof stale>;
}

/**
 * Takes a request along its road: looks up its tables, plans, lets the road judge the touches once, and runs. A plan
 * that turns out to be made for a table that has changed meanwhile is made again. So is one that failed: a cached table
 * may have been replaced by another process, and errors are told only of tables as they are now.
 */
export function onTables<Plan, R, Found = Table>(
  deps: TableDeps,
  road: Road,
  steps: TableSteps<Plan, R, Found>,
): MaybePromise<R | DynamoError> {
  return attempt(deps, road, steps, false);
}

function attempt<Plan, R, Found>(
  deps: TableDeps,
  road: Road,
  steps: TableSteps<Plan, R, Found>,
  hasPassed: boolean,
): MaybePromise<R | DynamoError> {
  const { names } = steps;
  if (names.length === 1) {
    const { scope, tableName } = names[0]!;
    return whenDone(deps.table(scope, tableName), (table) =>
      planAndRun(deps, road, steps, [table], hasPassed),
    );
  }
  return whenDone(whenAllDone(lookUp(deps, names)), (found) =>
    planAndRun(deps, road, steps, found, hasPassed),
  );
}

function planAndRun<Plan, R, Found>(
  deps: TableDeps,
  road: Road,
  steps: TableSteps<Plan, R, Found>,
  found: readonly (Table | DynamoError)[],
  hasPassed: boolean,
): MaybePromise<R | DynamoError> {
  if (steps.plansMissing !== true) {
    for (const table of found) if (table instanceof DynamoError) return table;
  }
  const plan = steps.plan(found as readonly Found[]);
  if (plan instanceof DynamoError) {
    return unlessStale(deps, found, plan, () => attempt(deps, road, steps, hasPassed));
  }
  const refusals = hasPassed ? undefined : road.pass(() => steps.touches(plan));
  const done = refusals === undefined ? steps.run(plan) : refuse(steps, refusals, plan);
  return whenDone(done, (result): MaybePromise<R | DynamoError> => {
    if (result !== stale) return result as R | DynamoError;
    for (const table of tablesOf(found)) deps.catalogue.forget(table);
    return attempt(deps, road, steps, true);
  });
}

function refuse<Plan, R, Found>(
  steps: TableSteps<Plan, R, Found>,
  refusals: Refusals,
  plan: Plan,
): MaybePromise<R | DynamoError | typeof stale> {
  return steps.refused === undefined ? refusals.first : steps.refused(refusals, plan);
}

/** The table of each name; names of one table get the same object. */
function lookUp(deps: TableDeps, names: readonly TableName[]): MaybePromise<Table | DynamoError>[] {
  const byName = new Map<string, MaybePromise<Table | DynamoError>>();
  return names.map(({ scope, tableName }) => {
    const id = `${scope.account}/${scope.region}/${tableName}`;
    const table = byName.get(id) ?? deps.table(scope, tableName);
    byName.set(id, table);
    return table;
  });
}

/** Answers the error if it is about the tables as they are in the store, and else tries again. */
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
