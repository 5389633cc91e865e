import { DynamoError } from '../model/errors.ts';
import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';
import type { Outcome, Store, Unit } from '../storage/store.ts';
import { StoreError } from '../storage/store-error.ts';
import type { InFlight } from './in-flight.ts';
import type { Table } from './table-record.ts';
import { type PlannedTable, planTables, type TableDesk, type TableRequest } from './table-requests.ts';
import {
  EntryInDoubt,
  type ItemWrite,
  planItem,
  stale,
  type WriteOutcome,
  type WriteSettings,
  WriteUnit,
} from './write-item.ts';

export interface WriteItemsSettings extends WriteSettings {
  /** Where transactions that meet these writes look. */
  readonly inFlight: InFlight | undefined;
  /** Takes a line about writes that were left undone while others were done. */
  readonly log: (line: string) => void;
}

/** The outcomes of one request's writes, in their order; undefined for a write that could not be done. */
export type TableOutcomes = readonly (WriteOutcome | undefined)[];

/**
 * Does many writes, each on its own, in one call to the Store. What is wrong with a table or a key is told before
 * anything is written. After that a batch never fails in part: when at least one write was done, those that were not
 * are for the caller to send again; when none was, their error is that of the whole.
 *
 * A write whose outcome is unknown counts as not done. It puts or deletes a whole item under no condition, so to do
 * it a second time makes no difference.
 */
export function writeItems(
  desk: TableDesk,
  requests: readonly TableRequest<ItemWrite>[],
  settings: WriteItemsSettings,
): MaybePromise<readonly TableOutcomes[] | DynamoError> {
  return whenDone(planTables(desk, requests), (planned) => {
    if (planned instanceof DynamoError) return planned;
    const results: Result[][] = planned.map(() => []);
    const jobs = jobsOf(planned);
    return whenDone(runJobs(desk, requests, jobs, results, settings), () => judged(results, settings.log));
  });
}

type Result = WriteOutcome | DynamoError | StoreError;

/** One write, and where its result belongs. */
interface Job {
  readonly request: number;
  readonly position: number;
  readonly table: Table;
  readonly write: ItemWrite;
  /** The key of the index entry that an earlier try was in doubt about. */
  readonly doubt?: Uint8Array;
}

function jobsOf(planned: readonly PlannedTable<ItemWrite>[]): Job[] {
  return planned.flatMap(({ table, plans }, request) =>
    plans.map((write, position) => ({ request, position, table, write })),
  );
}

function runJobs(
  desk: TableDesk,
  requests: readonly TableRequest<ItemWrite>[],
  jobs: readonly Job[],
  results: Result[][],
  settings: WriteItemsSettings,
): MaybePromise<void> {
  const plans = jobs.map(({ table, write, doubt }) => planItem(table, write, settings.h16, doubt));
  // As for a single write: where all happens within this turn, the tables are what they were planned for.
  const isCurrent = desk.store.immediate && settings.inFlight === undefined;
  const run = () =>
    transactAll(
      desk.store,
      plans.map((plan) => new WriteUnit(plan, settings, isCurrent)),
    );
  const keys = plans.map(({ key }) => key);
  const written = settings.inFlight === undefined ? run() : settings.inFlight.holding('write', keys, run);
  return whenDone(written, (outcomes) => {
    const outdated: Job[] = [];
    const doubtful: Job[] = [];
    for (const [i, job] of jobs.entries()) {
      const result = resultOf(outcomes[i]!);
      if (result === stale) outdated.push(job);
      else if (result instanceof EntryInDoubt) doubtful.push({ ...job, doubt: result.key });
      else results[job.request]![job.position] = result;
    }
    const resolved = doubtful.length === 0 ? undefined : runJobs(desk, requests, doubtful, results, settings);
    return whenDone(resolved, () =>
      outdated.length === 0 ? undefined : runAgain(desk, requests, outdated, results, settings),
    );
  });
}

/** Jobs whose tables have changed, planned anew. Others may be done already, so trouble now is theirs alone. */
async function runAgain(
  desk: TableDesk,
  requests: readonly TableRequest<ItemWrite>[],
  jobs: readonly Job[],
  results: Result[][],
  settings: WriteItemsSettings,
): Promise<void> {
  for (const { table } of jobs) desk.catalogue.forget(table);
  const touched = [...new Set(jobs.map(({ request }) => request))];
  const planned = await planAgain(
    desk,
    touched.map((request) => requests[request]!),
  );
  if (planned instanceof DynamoError || planned instanceof StoreError) {
    for (const { request, position } of jobs) results[request]![position] = planned;
    return;
  }
  const renewed = jobs.map(({ request, position }): Job => {
    const { table, plans } = planned[touched.indexOf(request)]!;
    return { request, position, table, write: plans[position]! };
  });
  await runJobs(desk, requests, renewed, results, settings);
}

async function planAgain(desk: TableDesk, requests: readonly TableRequest<ItemWrite>[]) {
  try {
    return await planTables(desk, requests);
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
}

/** A call that fails as a whole has failed for each of its units. */
function transactAll<R>(store: Store, units: readonly Unit<R>[]): MaybePromise<Outcome<R>[]> {
  const failed = (error: unknown) => units.map((): Outcome<R> => ({ ok: false, error }));
  try {
    const outcomes = store.transactMany(units);
    return outcomes instanceof Promise ? outcomes.catch(failed) : outcomes;
  } catch (error) {
    return failed(error);
  }
}

/** Anything thrown that is not the world's trouble is a bug, which no batch may hide. */
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
