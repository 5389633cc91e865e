import { keyAfter } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import { StoreError } from '../../storage/store-error.ts';
import { type Background, type Pace, Worker } from '../background/background-worker.ts';
import { Lease, leaseAt } from '../background/lease.ts';
import { pagesOf } from '../check/range-pages.ts';
import { nowMs } from '../clock.ts';
import { type Randomness, randomBytes } from '../randomness.ts';
import { backupRange, jobKey, jobRange, jobsLeaseKey, retiredRange } from '../store-keys.ts';
import { decodeRecord } from '../tables/table-record.ts';
import { decodeBackup, isExpired } from './backup-record.ts';
import { DamagedBackup, ForgottenPast } from './chunks.ts';
import { decodeJob, type Job } from './job.ts';
import { failJob, jobStep, releaseRetired, type StepDeps } from './job-steps.ts';

interface JobsDeps extends Omit<StepDeps, 'nowMs' | 'signal' | 'turn'> {
  readonly random: Randomness;
  /** Removes a backup whose time is over. */
  readonly expired: (key: Uint8Array) => Promise<void>;
}

/**
 * Does backups and restores in the background: a step of each in turn, so that a small one does not wait for a large
 * one. One process of those that share a store works at a time; when it is gone, another one goes on.
 */
export class Jobs {
  readonly #deps: StepDeps & JobsDeps;
  readonly #background: Background;
  readonly #lease: Lease;
  readonly #worker: Worker;
  #nextExpiryMs = Number.POSITIVE_INFINITY;
  /** Whether there may be notes that time does something to: jobs, failed ones too, and dropped tables they read. */
  #hasNotes = false;

  constructor(deps: JobsDeps, background: Background) {
    this.#background = background;
    const { clock, pause, signal } = background;
    this.#deps = { ...deps, signal, nowMs: () => nowMs(clock), turn: () => pause(0, signal) };
    this.#lease = new Lease({
      ...background,
      store: deps.store,
      nowMs: () => nowMs(background.clock),
      holder: () => toHex(randomBytes(deps.random, 8)),
      place: leaseAt(jobsLeaseKey),
      termMs: 10_000,
      retryMs: 200,
    });
    this.#worker = new Worker(background, {
      name: 'Backups and restores',
      run: () => this.#doAll(),
      retry: { minMs: 100, maxMs: 30_000 },
      lease: this.#lease,
      followsClock: true,
      isDue: (now) => this.#hasNotes || now >= this.#nextExpiryMs,
      rested: () => {
        this.#worker.wakeAt(this.#nextExpiryMs);
        // Other processes may be killed in the middle of a job.
        if (!deps.store.exclusive) this.#worker.wakeAfter(lookMs);
      },
    });
  }

  start(): void {
    this.#worker.wake();
  }

  /** Starts unless there is nothing to do. A store in memory tells at once: tests make forks by the thousand. */
  startIfAny(): void {
    const { store } = this.#deps;
    const jobs = store.range({ ...jobRange, limit: 1 });
    const backups = store.range({ ...backupRange, limit: 1 });
    if (jobs instanceof Promise || backups instanceof Promise) this.start();
    else if (jobs.entries.length > 0 || backups.entries.length > 0) this.start();
  }

  settled(): Promise<void> {
    return this.#worker.settled();
  }

  /** Does a small job at once. The background work does the rest of a larger one. */
  async begin(id: string): Promise<void> {
    this.#hasNotes = true;
    for (let step = 0; step < stepsAtOnce; step++) if ((await this.#step(id)) === 'over') return;
    this.start();
  }

  /** All jobs, of any process: those under way, and those that have failed lately. */
  async list(): Promise<Job[]> {
    const jobs: Job[] = [];
    for await (const page of pagesOf(this.#deps.store, jobRange.from, jobRange.to))
      for (const { key, value } of page) jobs.push(decodeJob(value, key));
    return jobs;
  }

  /** Whether a job is under way. */
  async isUnderWay(id: string): Promise<boolean> {
    const key = jobKey(id);
    const bytes = await this.#deps.store.get(key);
    return bytes !== undefined && decodeJob(bytes, key).phase !== 'failed';
  }

  async *#doAll(): AsyncGenerator<Pace, void> {
    if (!(await this.#look()) || !(await this.#lease.take())) return;
    await this.#tidy();
    for (let isOver = false; !isOver; ) {
      isOver = true;
      for (let from: Uint8Array = jobRange.from; ; ) {
        const { entries } = await this.#deps.store.range({ from, to: jobRange.to, limit: 1 });
        const found = entries[0];
        if (found === undefined) break;
        from = keyAfter(found.key);
        const { id, phase } = decodeJob(found.value, found.key);
        if (phase === 'failed') continue;
        if (!(await this.#lease.isHeld()) && !(await this.#lease.take())) return;
        if ((await this.#step(id)) === 'more') isOver = false;
        yield 'share if busy';
      }
    }
  }

  /** A step. What will never work ends the job; what may work later ends the pass, which is then tried again. */
  async #step(id: string): Promise<'more' | 'over'> {
    try {
      return await jobStep(this.#deps, id);
    } catch (error) {
      if (this.#background.signal.aborted) return 'over';
      if (error instanceof StoreError && !isFinal(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      const isKnown = [StoreError, DamagedBackup, ForgottenPast].some((kind) => error instanceof kind);
      this.#background.log(
        `A backup or restore failed: ${!isKnown && error instanceof Error ? error.stack : reason}`,
      );
      await failJob(this.#deps, id, reason);
      return 'more';
    }
  }

  /** Whether there is anything to do, or to watch over. It is asked without the lease: whoever is idle writes nothing. */
  async #look(): Promise<boolean> {
    const { store } = this.#deps;
    const found = await Promise.all(
      [jobRange, retiredRange].map(async (range) => await store.range({ ...range, limit: 1 })),
    );
    this.#hasNotes = found.some(({ entries }) => entries.length > 0);
    this.#nextExpiryMs = await this.#firstExpiry();
    return this.#hasNotes || this.#nextExpiryMs <= nowMs(this.#background.clock);
  }

  async #firstExpiry(): Promise<number> {
    let firstMs = Number.POSITIVE_INFINITY;
    for await (const page of pagesOf(this.#deps.store, backupRange.from, backupRange.to))
      for (const { key, value } of page)
        firstMs = Math.min(firstMs, decodeBackup(value, key).expiresAt ?? Number.POSITIVE_INFINITY);
    return firstMs;
  }

  /** Forgets failed jobs after a week, expired backups, and readers of dropped tables that never came to be. */
  async #tidy(): Promise<void> {
    const { store } = this.#deps;
    const now = nowMs(this.#background.clock);
    let hasNotes = false;
    for await (const page of pagesOf(store, jobRange.from, jobRange.to))
      for (const { key, value } of page) {
        hasNotes = true;
        const { phase, steppedAt } = decodeJob(value, key);
        if (phase === 'failed' && now - steppedAt >= failedKeptMs)
          await store.transact({
            reads: [],
            decide: () => ({ result: undefined, mutations: [{ kind: 'delete', key }] }),
          });
      }
    for await (const page of pagesOf(store, backupRange.from, backupRange.to))
      for (const { key, value } of page)
        if (isExpired(decodeBackup(value, key), now)) await this.#deps.expired(key);
    this.#nextExpiryMs = await this.#firstExpiry();
    for await (const page of pagesOf(store, retiredRange.from, retiredRange.to))
      for (const { value } of page) {
        hasNotes = true;
        await this.#releaseLost(value, now);
      }
    this.#hasNotes = hasNotes;
  }

  async #releaseLost(retired: Uint8Array, now: number): Promise<void> {
    const { store, dropped } = this.#deps;
    const { storageId, readers = [] } = decodeRecord(retired);
    const jobs = await store.getMany(readers.map(({ jobId }) => jobKey(jobId)));
    const lost = readers.filter(({ notedAt }, i) => jobs[i] === undefined && now - notedAt >= lostMs);
    if (lost.length === 0) return;
    await releaseRetired(store, storageId, (id) => lost.some(({ jobId }) => jobId === id));
    dropped();
  }
}

/** No room, or damage: to try again changes nothing. */
function isFinal({ trouble }: StoreError): boolean {
  return trouble === 'full' || trouble === 'corrupt' || trouble === 'format';
}

/** With `stepLimits` of the steps: some hundred items or some thousand entries, about as long as a few requests. */
const stepsAtOnce = 4;
const failedKeptMs = 7 * 86_400_000;
const lostMs = 60_000;
const lookMs = 15_000;
