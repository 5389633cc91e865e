import { nowMs } from '../../runtime/clock.ts';
import type { Background } from '../background/background-worker.ts';
import type { JobKind } from '../background/job-runner.ts';
import { readableRecords } from '../background/readable-records.ts';
import { elapsedOf, Sightings } from '../background/sightings.ts';
import { pagesOf } from '../check/range-pages.ts';
import { backupRange, jobKey, jobRange, retiredRange } from '../store-keys.ts';
import { decodeRecord } from '../tables/table-record.ts';
import { decodeBackup, isExpired } from './backup-record.ts';
import { decodeJob, type Job } from './job.ts';
import { failJob, jobStep, releaseRetired, type StepDeps } from './job-steps.ts';

interface JobsDeps extends Omit<StepDeps, 'nowMs' | 'signal' | 'turn'> {
  /** Removes a backup whose time is over. */
  readonly expired: (key: Uint8Array) => Promise<void>;
}

/** A reader of a dropped table whose job is not there. */
interface Jobless {
  readonly storageId: string;
  readonly jobId: string;
  /** For how long this process has seen that. */
  readonly ageMs: number;
}

/** Backups, restores, and removals of deleted backups. */
export class Jobs implements JobKind {
  readonly name = 'A backup or restore';
  readonly range = jobRange;
  readonly tidied = backupRange;
  readonly #deps: StepDeps & JobsDeps;
  readonly #sightings: Sightings;
  readonly #log: (line: string) => void;
  /** The jobs whose first steps `begin` does. */
  readonly #beginning = new Set<string>();

  constructor(deps: JobsDeps, background: Background) {
    const { clock, pause, signal, log } = background;
    this.#log = log;
    this.#deps = { ...deps, signal, nowMs: () => nowMs(clock), turn: () => pause(0, signal) };
    this.#sightings = new Sightings(elapsedOf(background));
  }

  /** Does a small job at once. The runner does the rest of a larger one. */
  async begin(id: string): Promise<void> {
    this.#beginning.add(id);
    try {
      for (let step = 0; step < stepsAtOnce; step++) if ((await jobStep(this.#deps, id)) === 'over') break;
    } catch {
      // The runner meets the same error, logs it and fails the job.
    }
    this.#beginning.delete(id);
    this.#deps.begun();
  }

  /** All jobs, of any process: those under way, and those that have failed lately. */
  async list(): Promise<Job[]> {
    const jobs: Job[] = [];
    for await (const page of pagesOf(this.#deps.store, jobRange.from, jobRange.to))
      for (const { key, value } of page) jobs.push(decodeJob(value, key));
    return jobs;
  }

  /** Whether a job has neither ended nor failed. */
  async isRunning(id: string): Promise<boolean> {
    const key = jobKey(id);
    const bytes = await this.#deps.store.get(key);
    return bytes !== undefined && decodeJob(bytes, key).phase !== 'failed';
  }

  /** An export does its own work (`transfers/exports.ts`). */
  isUnderWay(stored: Uint8Array, key: Uint8Array): boolean {
    const { phase, kind } = decodeJob(stored, key);
    return phase !== 'failed' && kind !== 'export';
  }

  async *steps(stored: Uint8Array, key: Uint8Array): AsyncGenerator<void, void> {
    const { id } = decodeJob(stored, key);
    while (this.#beginning.has(id) || (await jobStep(this.#deps, id)) === 'more') yield;
  }

  fail(key: Uint8Array, reason: string): Promise<void> {
    this.#log(`${this.name} failed: ${reason}`);
    return failJob(this.#deps, key, reason);
  }

  /** The earliest end of a backup's or failed job's time, or of a wait for the job of a reader. */
  async tidyAtMs(): Promise<number> {
    const { store } = this.#deps;
    let first = Number.POSITIVE_INFINITY;
    for await (const { record } of readableRecords(store, backupRange, decodeBackup))
      first = Math.min(first, record.expiresAt ?? first);
    for await (const { record } of readableRecords(store, jobRange, decodeJob))
      if (record.phase === 'failed') first = Math.min(first, record.steppedAt + failedKeptMs);
    for await (const { ageMs } of this.#jobless())
      first = Math.min(first, this.#deps.nowMs() + lostMs - ageMs);
    return first;
  }

  /** Forgets failed jobs after a week, expired backups, and readers of dropped tables whose jobs never came to be. */
  async tidy(): Promise<void> {
    const { store, begun } = this.#deps;
    const now = this.#deps.nowMs();
    for await (const { key, record } of readableRecords(store, jobRange, decodeJob))
      if (record.phase === 'failed' && now - record.steppedAt >= failedKeptMs)
        await store.transact({
          reads: [],
          decide: () => ({ result: undefined, mutations: [{ kind: 'delete', key }] }),
        });
    for await (const { key, record } of readableRecords(store, backupRange, decodeBackup))
      if (isExpired(record, now)) await this.#deps.expired(key);
    for await (const { storageId, jobId, ageMs } of this.#jobless()) {
      if (ageMs < lostMs) continue;
      await releaseRetired(store, storageId, (id) => id === jobId);
      begun();
    }
  }

  /** The process that notes a reader writes its job next, unless it is killed. */
  async *#jobless(): AsyncGenerator<Jobless, void> {
    const { store } = this.#deps;
    for await (const { record } of readableRecords(store, retiredRange, decodeRecord)) {
      const { storageId, readers = [] } = record;
      const jobs = await store.getMany(readers.map(({ jobId }) => jobKey(jobId)));
      for (const [i, { jobId }] of readers.entries())
        if (jobs[i] === undefined)
          yield { storageId, jobId, ageMs: this.#sightings.ageMs(`${storageId}/${jobId}`) };
    }
  }
}

/** With `stepLimits` of the steps: some hundred items or some thousand entries, about as long as a few requests. */
const stepsAtOnce = 4;
const failedKeptMs = 7 * 86_400_000;
const lostMs = 60_000;
