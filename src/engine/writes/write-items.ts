import { DynamoError } from '../../model/errors.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import type { Outcome, Store, Unit } from '../../storage/store.ts';
import { StoreError } from '../../storage/store-error.ts';
import { IndexThrottle, itemTouch, passed, type Refusals, type Road } from '../road.ts';
import type { Table } from '../tables/table-record.ts';
import { onTables, type TableDeps, type TableName } from '../tables/table-requests.ts';
import type { InFlight } from '../transactions/in-flight.ts';
import { TooLong } from './evaluation.ts';
import type { LongEvaluations } from './long-evaluations.ts';
import {
  attributesOf,
  EntryInDoubt,
  type ItemPlan,
  type ItemWrite,
  planItem,
  RefusedWrite,
  stale,
  type WriteOutcome,
  type WriteSettings,
  WriteUnit,
} from './write-item.ts';

/** The writes of a request to one table. */
export interface TableWrites extends TableName {
  /** Checks the writes against the table. Pure. Every call returns the same number of writes in the same order. */
  writesOn(table: Table): readonly ItemWrite[] | DynamoError;
}

export interface WriteItemsDeps extends TableDeps {
  /** The items under write, where transactions look for conflicts. */
  inFlightOf(table: Table): InFlight | undefined;
  /** Waits for as long as a write is under way, where that is acted out. */
  writeTime(): Promise<void>;
  readonly writeSettings: (road: Road) => WriteSettings;
  /** Long evaluations of other writes, for which these writes wait. */
  readonly longEvaluations: LongEvaluations;
  /** Logs writes that were not done while others of the same batch were. */
  readonly log: (line: string) => void;
}

/** The outcomes of the writes to one table, in order. Undefined for a write that was not done. */
export type TableOutcomes = readonly (WriteOutcome | undefined)[];

/** One write, and the position of its result. */
interface Job {
  readonly request: number;
  readonly position: number;
  readonly plan: ItemPlan;
}

type Result = WriteOutcome | DynamoError | StoreError;

/**
 * Runs many writes in one call to the Store, each as a unit of its own. Errors of tables and keys are returned before
 * anything is written. After that, the batch fails as a whole only if no write was done. Otherwise the caller sends the
 * missing writes again.
 *
 * A write whose outcome is unknown counts as not done. It puts or deletes a whole item without a condition, so running
 * it twice makes no difference.
 */
export function writeItems(
  deps: WriteItemsDeps,
  road: Road,
  requests: readonly TableWrites[],
): MaybePromise<readonly TableOutcomes[] | DynamoError> {
  const results: Result[][] = requests.map(() => []);
  const run = (jobs: readonly Job[]) =>
    whenDone(runJobs(deps, road, requests, jobs, results), () => judged(results, deps.log));
  return onTables<readonly Job[], readonly TableOutcomes[]>(deps, road, {
    names: requests,
    writes: true,
    plan: (tables) => jobsOn(deps, road, requests, [...requests.keys()], tables),
    touches: touchesOf,
    refused(refusals: Refusals, jobs) {
      if (refusals.isWhole) return refusals.first;
      const admitted = jobs.filter(({ request, position }, i) => {
        const error = refusals.each[i];
        if (error !== undefined) results[request]![position] = error;
        return error === undefined;
      });
      return run(admitted);
    },
    run,
  });
}

/** Plans the jobs of some requests, given by position, on their tables. */
function jobsOn(
  deps: WriteItemsDeps,
  road: Road,
  requests: readonly TableWrites[],
  positions: readonly number[],
  tables: readonly Table[],
): readonly Job[] | DynamoError {
  const { h16 } = deps.writeSettings(road);
  const jobs: Job[] = [];
  for (const [i, request] of positions.entries()) {
    const table = tables[i]!;
    const writes = requests[request]!.writesOn(table);
    if (writes instanceof DynamoError) return writes;
    for (const [position, write] of writes.entries())
      jobs.push({ request, position, plan: planItem(table, write, h16) });
  }
  return jobs;
}

function touchesOf(jobs: readonly Job[]) {
  return jobs.map(({ plan: { table, key, write } }) =>
    itemTouch('write', table, key, () => attributesOf(write), undefined, write.putBytes),
  );
}

/** Runs jobs and stores their results in `results`. Returns nothing, because some jobs may have to be planned again. */
function runJobs(
  deps: WriteItemsDeps,
  road: Road,
  requests: readonly TableWrites[],
  jobs: readonly Job[],
  results: Result[][],
  isAtOnce = true,
): MaybePromise<void> {
  if (jobs.length === 0) return undefined;
  const { store } = deps;
  const claim = deps.longEvaluations.claimOn(() => jobs.map(({ plan }) => plan.key));
  if (claim !== undefined) return claim.then(() => runJobs(deps, road, requests, jobs, results, false));
  const held = jobs.filter(({ plan }) => deps.inFlightOf(plan.table) !== undefined);
  const inFlight = held[0] && deps.inFlightOf(held[0].plan.table);
  // Where everything happens within this turn, the tables are still those that the jobs were planned for.
  const isCurrent = store.immediate && isAtOnce && inFlight === undefined;
  const settings = deps.writeSettings(road);
  const run = () =>
    transactAll(
      store,
      jobs.map(({ plan }) => new WriteUnit(plan, settings, isCurrent)),
    );
  const keys = held.map(({ plan }) => plan.key);
  const written =
    inFlight === undefined ? run() : inFlight.holding('write', keys, () => deps.writeTime().then(run));
  return whenDone(written, (outcomes) => {
    const outdated: Job[] = [];
    const doubtful: Job[] = [];
    for (const [i, job] of jobs.entries()) {
      const { request, position, plan } = job;
      const result = resultOf(outcomes[i]!);
      if (result === stale) outdated.push(job);
      else if (result instanceof EntryInDoubt)
        doubtful.push({ ...job, plan: { ...plan, doubt: result.key } });
      else if (result instanceof RefusedWrite) {
        road.charge(plan.table, 'write', result.consumed);
        results[request]![position] = result.error;
      } else if (result instanceof IndexThrottle) {
        road.countThrottle(result);
        results[request]![position] = result.error;
      } else if (result instanceof TooLong) throw new Error('a write without a condition is never too long');
      else {
        if (isDone(result)) road.charge(plan.table, 'write', result.consumed);
        results[request]![position] = result;
      }
    }
    return whenDone(runJobs(deps, road, requests, doubtful, results, isAtOnce), () =>
      outdated.length === 0 ? undefined : planAgain(deps, road, requests, outdated, results),
    );
  });
}

/**
 * Plans jobs again whose tables have changed. Other jobs may be done already, so an error here concerns only these
 * jobs.
 */
async function planAgain(
  deps: WriteItemsDeps,
  road: Road,
  requests: readonly TableWrites[],
  jobs: readonly Job[],
  results: Result[][],
): Promise<void> {
  const isOutdated = ({ request, position }: Job) =>
    jobs.some((job) => job.request === request && job.position === position);
  for (const { plan } of jobs) deps.catalogue.forget(plan.table);
  const touched = [...new Set(jobs.map(({ request }) => request))];
  try {
    const wrong = await onTables<readonly Job[], undefined>(deps, passed(road), {
      names: touched.map((request) => requests[request]!),
      writes: true,
      plan: (tables) => jobsOn(deps, road, requests, touched, tables),
      touches: touchesOf,
      run: (planned) =>
        whenDone(runJobs(deps, road, requests, planned.filter(isOutdated), results), () => undefined),
    });
    if (wrong !== undefined) for (const { request, position } of jobs) results[request]![position] = wrong;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    for (const { request, position } of jobs) results[request]![position] ??= error;
  }
}

/** Runs units. If the whole call fails, each unit gets the error. */
function transactAll<R>(store: Store, units: readonly Unit<R>[]): MaybePromise<Outcome<R>[]> {
  const failed = (error: unknown) => units.map((): Outcome<R> => ({ ok: false, error }));
  try {
    const outcomes = store.transactMany(units);
    return outcomes instanceof Promise ? outcomes.catch(failed) : outcomes;
  } catch (error) {
    return failed(error);
  }
}

/** Returns StoreErrors and rethrows everything else: any other exception is a bug, which no batch may hide. */
function resultOf<R>(outcome: Outcome<R>): R | StoreError {
  if (outcome.ok) return outcome.result;
  if (outcome.error instanceof StoreError) return outcome.error;
  throw outcome.error;
}

function judged(
  results: readonly (readonly Result[])[],
  log: (line: string) => void,
): readonly TableOutcomes[] | DynamoError {
  const all = results.flat();
  const troubles = all.filter((result) => result instanceof StoreError);
  const refusals = all.filter((result) => result instanceof DynamoError);
  const done = all.length - troubles.length - refusals.length;
  if (done === 0) {
    if (troubles.length > 0) throw troubles[0]!;
    if (refusals.length > 0) return refusals[0]!;
  }
  if (troubles.length > 0)
    log(`${troubles.length} of ${all.length} writes of a batch were not done: ${troubles[0]!.message}`);
  return results.map((ofTable) => ofTable.map((result) => (isDone(result) ? result : undefined)));
}

function isDone(result: Result): result is WriteOutcome {
  return !(result instanceof DynamoError || result instanceof StoreError);
}
