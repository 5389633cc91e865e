import { machine } from '../../runtime/machine/machine.ts';
import type { CallOptions } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { backOff } from './back-off.ts';
import { byteaArray, keyText, plainBytes } from './byte-arrays.ts';
import { type Fence, isHeld } from './fence.ts';
import type { HybridClock } from './hybrid-clock.ts';
import type { Job } from './job.ts';
import type { Session, SessionPool } from './sessions.ts';
import { contention, failureOf, isShortage, shortageTriesMax, troubleOf } from './sql-failure.ts';
import type { Run, Statement } from './statement.ts';
import { type Belief, type Beliefs, readAnswer, type Swap, type SwapPlanner } from './swap.ts';
import type { Tables } from './tables.ts';
import { resolveOutcome } from './unknown-outcome.ts';
import type { WaitingLines } from './waiting-lines.ts';

/** What running units takes. */
export interface Workshop {
  readonly writers: SessionPool;
  readonly planner: SwapPlanner;
  readonly statements: ReadStatements;
  readonly lines: WaitingLines;
  readonly fence: Fence;
  readonly clock: HybridClock;
  readonly random: () => number;
  readonly newWriteId: () => string;
  /** How often a unit is tried before it ends with `contention`. */
  readonly triesMax: number;
  /** For how long after its first sending a swap with an unknown outcome is sent again. */
  readonly resolveMsMax: number;
}

export interface ReadStatements {
  readonly keys: Statement;
  readonly keysAndSums: Statement;
}

export function readStatements(t: Tables): ReadStatements {
  // A key without a row is left out. A row without a value counts for its write id.
  const keys = `SELECT a.n::int AS n, k.value, k.version, k.write_id
    FROM unnest($1::bytea[]) WITH ORDINALITY AS a(key, n) JOIN ${t.kv} k ON k.key = a.key`;
  const sums = `SELECT -a.n::int, NULL,
      coalesce((SELECT sum(c.value) FROM ${t.counter} c WHERE c.key = a.key), 0)::bigint, NULL
    FROM unnest($2::bytea[]) WITH ORDINALITY AS a(key, n)`;
  return {
    keys: { name: 'read', text: keys },
    keysAndSums: { name: 'read-sums', text: `${keys} UNION ALL ${sums}` },
  };
}

const lostIsolation =
  'A session lost its isolation level: connect to PostgreSQL itself, or to a pooler in session mode';

/** How far a job has come. It outlives sessions, so that a try begins where the last one ended. */
interface Progress {
  beliefs: Beliefs | undefined;
  guessed: boolean;
  /** A swap that was rolled back for a conflict; what it was decided on may well hold still. */
  repeat: { swap: Swap; result: unknown } | undefined;
  tries: number;
  readonly triesMax: number;
  /** Whether it goes to the end of the line when it meets others, stands first in it, or is on its own. */
  place: 'joins' | 'first' | 'apart';
  /** Until when a change of settings waits for the fence, once it has found it held. */
  fenceDeadline: AbortSignal | undefined;
}

type Step<R> =
  | { readonly kind: 'done'; readonly result: R }
  | { readonly kind: 'conflict'; readonly cause: unknown }
  /** There is a line for what it claims, or there should be. */
  | { readonly kind: 'met'; readonly claims: readonly string[] }
  | {
      readonly kind: 'lost';
      readonly swap: Swap;
      readonly result: R;
      readonly sentMs: number;
      readonly cause: unknown;
    };

/**
 * Reads, decides and swaps until the swap is committed or there is nothing to write. One round trip reads, one swaps;
 * a right guess saves the first; a swap that is refused brings what the next decision needs. A job that is given
 * tries of its own gives up after them and waits for nobody.
 */
export async function runJob<R>(
  shop: Workshop,
  job: Job<R>,
  options: CallOptions & { readonly triesMax?: number },
): Promise<R> {
  const progress: Progress = {
    beliefs: job.guess,
    guessed: job.guess !== undefined,
    repeat: undefined,
    tries: 0,
    triesMax: options.triesMax ?? shop.triesMax,
    place: options.triesMax === undefined ? 'joins' : 'apart',
    fenceDeadline: undefined,
  };
  return await goOn(shop, job, progress, options);
}

/** The first in line meets few others, mostly one of each process, so that there is no need for long waits. */
const firstConflictsMax = 3;

async function goOn<R>(shop: Workshop, job: Job<R>, progress: Progress, options: CallOptions): Promise<R> {
  for (let conflicts = 0; ; ) {
    options.signal?.throwIfAborted();
    const isFirst = progress.place === 'first';
    // A line gets on by one turn only for each session that it gets, and many others may wait for theirs.
    const step = await shop.writers.use((session) => runOn(shop, job, progress, session, options), isFirst);
    if (step.kind === 'done') return step.result;
    if (step.kind === 'met') {
      return await shop.lines.inTurn(step.claims, (isTurn) => {
        progress.place = isTurn ? 'first' : 'apart';
        takeOver(shop, job, progress);
        return goOn(shop, job, progress, options);
      });
    }
    if (step.kind === 'lost') {
      await resolveOutcome(step.swap, progress.beliefs!, shop.writers, {
        msMax: shop.resolveMsMax,
        sentMs: step.sentMs,
        random: shop.random,
        cause: step.cause,
      });
      tell(shop, job, step.swap);
      return step.result;
    }
    if (progress.tries >= progress.triesMax) throw contention(step.cause);
    conflicts++;
    if (isShortage(step.cause) && conflicts >= shortageTriesMax) throw contention(step.cause);
    if (progress.repeat?.swap.changesSettings === true && isHeld(step.cause)) {
      progress.fenceDeadline ??= shop.fence.deadline();
      await shop.fence.drain(progress.fenceDeadline);
      continue;
    }
    await backOff(isFirst ? Math.min(conflicts, firstConflictsMax) : conflicts, shop.random);
  }
}

/** Tells those in line what a committed swap has left. */
function tell<R>(shop: Workshop, job: Job<R>, { guarded, writeId }: Swap): void {
  for (const [i, value] of guarded) shop.lines.leave(keyText(job.keys[i]!), { value, writeId });
}

/**
 * Believes what those before in line have left: as a guess, since other processes write too, and since it may be older
 * than what this job itself has seen. Both cost a try at most.
 */
function takeOver<R>(shop: Workshop, job: Job<R>, progress: Progress): void {
  const { beliefs } = progress;
  if (beliefs === undefined) return;
  const keys = beliefs.keys.map((belief, i) => shop.lines.left(keyText(job.keys[i]!)) ?? belief);
  if (keys.every((belief, i) => belief === beliefs.keys[i])) return;
  progress.beliefs = { keys, sums: beliefs.sums };
  progress.guessed = true;
  progress.repeat = undefined;
}

/** Goes on until the end, a conflict, a line to wait in or the loss of the session. */
async function runOn<R>(
  shop: Workshop,
  job: Job<R>,
  progress: Progress,
  session: Session,
  options: CallOptions,
): Promise<Step<R>> {
  for (;;) {
    if (progress.tries >= progress.triesMax) return { kind: 'conflict', cause: undefined };
    const planned = progress.repeat ?? plan(shop, job, progress);
    if (planned === undefined) {
      try {
        progress.beliefs = await read(shop, job, session.run);
        continue;
      } catch (error) {
        if (failureOf(error) !== 'conflict') throw troubleOf(error);
        progress.tries++;
        return { kind: 'conflict', cause: error };
      }
    }
    const result = planned.result as R;
    if (planned.swap === undefined) return { kind: 'done', result };

    options.signal?.throwIfAborted();
    const swap = planned.swap;
    const { claims } = swap;
    if (progress.place === 'joins' && shop.lines.isBusy(claims)) return { kind: 'met', claims };
    progress.tries++;
    progress.repeat = undefined;
    const believed = progress.beliefs!;
    const sentMs = machine.stopwatchMs();
    try {
      const send = () => session.run(swap.statement, swap.values(session.shard));
      const answer = readAnswer(
        await (swap.changesSettings ? shop.fence.take(session, send) : send()),
        believed,
      );
      if (answer.committed) {
        shop.clock.observe(answer.version);
        tell(shop, job, swap);
        return { kind: 'done', result };
      }
      if (!answer.changed) throw new StoreError('unavailable', lostIsolation);
      shop.clock.observe(answer.versionMax);
      const hasMet = joinsNow(progress) && !progress.guessed;
      progress.beliefs = answer.beliefs;
      progress.guessed = false;
      if (hasMet) return { kind: 'met', claims };
    } catch (error) {
      const failure = failureOf(error);
      if (failure === 'lost') return { kind: 'lost', swap, result, sentMs, cause: error };
      if (failure !== 'conflict') throw troubleOf(error);
      progress.repeat = { swap, result };
      return joinsNow(progress) && !isShortage(error) && !(swap.changesSettings && isHeld(error))
        ? { kind: 'met', claims }
        : { kind: 'conflict', cause: error };
    }
  }
}

/** To wait for a try that is not left would be in vain. */
function joinsNow({ place, tries, triesMax }: Progress): boolean {
  return place === 'joins' && tries < triesMax;
}

/**
 * Decides on what is believed. Undefined: it must be read first, because nothing is known yet, or because only a
 * guess is, and a guess that leads to no swap, or to a failure, was not compared with anything.
 */
function plan<R>(
  shop: Workshop,
  job: Job<R>,
  progress: Progress,
): { result: R; swap: Swap | undefined } | undefined {
  const { beliefs } = progress;
  if (beliefs === undefined) return undefined;
  const forget = () => {
    progress.beliefs = undefined;
    progress.guessed = false;
    return undefined;
  };
  let decision: ReturnType<Job<R>['decide']>;
  try {
    decision = job.decide(beliefs);
  } catch (error) {
    if (progress.guessed) return forget();
    throw error;
  }
  const { result } = decision;
  if (decision.mutations.length === 0) return progress.guessed ? forget() : { result, swap: undefined };
  const { keys, isSetting, counters } = job;
  const expected = { keys, isSetting, counters, beliefs };
  return { result, swap: shop.planner.plan(expected, decision, shop.clock.tick(), shop.newWriteId()) };
}

async function read<R>(shop: Workshop, job: Job<R>, run: Run): Promise<Beliefs> {
  const keys = new Array<Belief>(job.keys.length).fill({ value: undefined, writeId: null });
  const sums = new Array<number>(job.counters.length).fill(0);
  if (keys.length === 0 && sums.length === 0) return { keys, sums };
  const rows =
    sums.length === 0
      ? await run(shop.statements.keys, [byteaArray(job.keys)])
      : await run(shop.statements.keysAndSums, [byteaArray(job.keys), byteaArray(job.counters)]);
  for (const [n, value, number, writeId] of rows as [number, Buffer | null, string, string | null][]) {
    if (n < 0) {
      sums[-n - 1] = Number(number);
    } else {
      shop.clock.observe(Number(number));
      keys[n - 1] = { value: value === null ? undefined : plainBytes(value), writeId };
    }
  }
  return { keys, sums };
}
