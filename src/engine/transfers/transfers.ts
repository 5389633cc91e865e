import { toHex } from '../../model/values/hex.ts';
import type { Store } from '../../storage/store.ts';
import { StoreError } from '../../storage/store-error.ts';
import { type Background, type Pace, Worker } from '../background/background-worker.ts';
import { Lease, leaseAt } from '../background/lease.ts';
import { pagesOf } from '../check/range-pages.ts';
import { nowMs } from '../clock.ts';
import { type Randomness, randomBytes } from '../randomness.ts';
import { exportRange, importRange, transfersLeaseKey } from '../store-keys.ts';
import { decodeExport } from './export-record.ts';
import { exportSteps, failExport } from './export-steps.ts';
import { Exports } from './exports.ts';
import { decodeImport } from './import-record.ts';
import { failImport, importSteps, type TransferStepDeps } from './import-steps.ts';
import { Imports } from './imports.ts';
import type { TransferTools } from './objects.ts';

interface TransfersDeps extends Omit<TransferStepDeps, 'nowMs' | 'signal' | 'log'> {
  readonly random: Randomness;
}

/**
 * Exports tables to buckets and imports them from there, in the background: a step of each in turn, so that a small one
 * does not wait for a large one. One process of those that share a store works at a time; when it is gone, another one goes on.
 */
export class Transfers {
  readonly exports: Exports;
  readonly imports: Imports;
  /** Where buckets are; undefined if nobody said. */
  readonly tools: TransferTools | undefined;
  readonly #deps: TransferStepDeps;
  readonly #background: Background;
  readonly #lease: Lease;
  readonly #worker: Worker;

  constructor(deps: TransfersDeps, background: Background) {
    this.tools = deps.tools;
    this.#background = background;
    this.#deps = {
      ...deps,
      nowMs: () => nowMs(background.clock),
      signal: background.signal,
      log: background.log,
    };
    this.exports = new Exports({
      ...deps,
      nowMs: () => nowMs(background.clock),
      begun: () => this.start(),
    });
    this.imports = new Imports({
      ...deps,
      nowMs: () => nowMs(background.clock),
      begun: () => this.start(),
    });
    this.#lease = new Lease({
      ...background,
      store: deps.store,
      nowMs: () => nowMs(background.clock),
      holder: () => toHex(randomBytes(deps.random, 8)),
      place: leaseAt(transfersLeaseKey),
      termMs: 10_000,
      retryMs: 200,
    });
    this.#worker = new Worker(background, {
      name: 'Exports and imports',
      run: () => this.#doAll(),
      retry: { minMs: 100, maxMs: 30_000 },
      lease: this.#lease,
      rested: () => {
        // Other processes may be killed in the middle of one.
        if (!deps.store.exclusive) this.#worker.wakeAfter(lookMs);
      },
    });
  }

  start(): void {
    this.#worker.wake();
  }

  /** Starts unless there is nothing to do. A store in memory tells at once: tests make forks by the thousand. */
  startIfAny(): void {
    for (const range of [importRange, exportRange]) {
      const found = this.#deps.store.range({ ...range, limit: 1 });
      if (found instanceof Promise || found.entries.length > 0) {
        this.start();
        return;
      }
    }
  }

  settled(): Promise<void> {
    return this.#worker.settled();
  }

  async *#doAll(): AsyncGenerator<Pace, void> {
    if (!(await hasUnfinished(this.#deps.store)) || !(await this.#lease.take())) return;
    await this.imports.forgetOld();
    await this.exports.forgetOld();
    const running = new Map<string, AsyncGenerator<void, void>>();
    try {
      for (;;) {
        await this.#findNew(running);
        if (running.size === 0) return;
        for (const [key, steps] of running) {
          if (!(await this.#lease.isHeld())) return;
          if (await this.#step(key, steps)) running.delete(key);
          yield 'share if busy';
        }
      }
    } finally {
      for (const steps of running.values()) await steps.return();
    }
  }

  async #findNew(running: Map<string, AsyncGenerator<void, void>>): Promise<void> {
    for await (const { key, value, isExport } of unfinished(this.#deps.store)) {
      const name = toHex(key);
      if (running.has(name)) continue;
      running.set(name, isExport ? exportSteps(this.#deps, key, value) : importSteps(this.#deps, key, value));
    }
  }

  /** A step; true at the end. What will never work ends the transfer; what may work later ends the pass. */
  async #step(name: string, steps: AsyncGenerator<void, void>): Promise<boolean> {
    try {
      return (await steps.next()).done === true;
    } catch (error) {
      if (this.#background.signal.aborted) return true;
      if (error instanceof StoreError && !isFinal(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      if (!(error instanceof StoreError) && error instanceof Error)
        this.#background.log(`An export or import failed: ${error.stack}`);
      for await (const { key, value, isExport } of unfinished(this.#deps.store))
        if (toHex(key) !== name) continue;
        else if (isExport) await failExport(this.#deps, decodeExport(value, key), 'InternalError', reason);
        else await failImport(this.#deps, decodeImport(value, key), 'InternalError', reason);
      return true;
    }
  }
}

async function* unfinished(store: Store) {
  for await (const page of pagesOf(store, importRange.from, importRange.to))
    for (const { key, value } of page)
      if (decodeImport(value, key).status === 'IN_PROGRESS') yield { key, value, isExport: false };
  for await (const page of pagesOf(store, exportRange.from, exportRange.to))
    for (const { key, value } of page)
      if (decodeExport(value, key).status === 'IN_PROGRESS') yield { key, value, isExport: true };
}

async function hasUnfinished(store: Store): Promise<boolean> {
  for await (const _ of unfinished(store)) return true;
  return false;
}

/** No room, or damage: to try again changes nothing. */
function isFinal({ trouble }: StoreError): boolean {
  return trouble === 'full' || trouble === 'corrupt' || trouble === 'format';
}

const lookMs = 15_000;
