import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import type { Slices } from '../../model/slices.ts';
import { StoreError } from '../../storage/store-error.ts';
import { ByteGate } from './byte-gate.ts';
import { type Evaluation, type Evaluations, noEvaluations, TooLong } from './evaluation.ts';
import { ItemClaims } from './item-claims.ts';

/** A unit with evaluations that may be too long for it. */
export interface LongUnit<R> {
  /** The items of the unit. */
  readonly keys: readonly Uint8Array[];
  /**
   * Runs the unit with some evaluations. With `isAtOnce` nothing has happened since it was planned. Called several times.
   */
  run(evaluations: Evaluations, isAtOnce: boolean): MaybePromise<R | TooLong>;
  /** Evaluates an action, given by its position, on a stored item. */
  evaluate(position: number, stored: Uint8Array | undefined, slices: Slices): Promise<Evaluation>;
}

/** Runs units, and makes the evaluations that they give up. */
export class LongEvaluations {
  readonly #slices: Slices;
  readonly #claims = new ItemClaims();
  readonly #gate = new ByteGate(evaluatedBytesMax);

  constructor(slices: Slices) {
    this.#slices = slices;
  }

  /** The end of an evaluation that other writers of one of the items wait for. Undefined if there is none. */
  claimOn(keys: () => readonly Uint8Array[]): Promise<void> | undefined {
    return this.#claims.isEmpty ? undefined : this.#claims.ofAny(keys());
  }

  run<R>(unit: LongUnit<R>, isAtOnce: boolean): MaybePromise<R> {
    const claim = this.#claims.isEmpty ? undefined : this.#claims.ofAny(unit.keys);
    if (claim !== undefined) return claim.then(() => this.run(unit, false));
    return whenDone(unit.run(noEvaluations, isAtOnce), (result) =>
      result instanceof TooLong ? this.#evaluated(unit, result) : (result as R),
    );
  }

  #evaluated<R>(unit: LongUnit<R>, first: TooLong): Promise<R> {
    const bytes = bytesOf(first);
    return this.#gate.fits(bytes)
      ? this.#gate.pass(bytes, () => this.#evaluate(unit, first))
      : this.#evaluateLater(unit, bytes);
  }

  /** The items that were read are let go of: they take memory, and may be out of date. */
  #evaluateLater<R>(unit: LongUnit<R>, bytes: number): Promise<R> {
    return this.#gate.pass(bytes, async () => {
      const result = await unit.run(noEvaluations, false);
      return result instanceof TooLong ? this.#evaluate(unit, result) : (result as R);
    });
  }

  async #evaluate<R>(unit: LongUnit<R>, first: TooLong): Promise<R> {
    const result = await attempt(unit, first, noEvaluations, this.#slices, 1);
    if (!('tooLong' in result)) return result.done;
    // Another writer changed an item meanwhile. The others of this process wait from now on.
    return this.#claims.holding(unit.keys, async () => {
      const last = await attempt(unit, result.tooLong, result.evaluations, this.#slices, claimedTriesMax);
      if ('tooLong' in last) throw contended();
      return last.done;
    });
  }
}

type Attempted<R> = { readonly done: R } | { readonly tooLong: TooLong; readonly evaluations: Evaluations };

async function attempt<R>(
  unit: LongUnit<R>,
  first: TooLong,
  known: Evaluations,
  slices: Slices,
  triesMax: number,
): Promise<Attempted<R>> {
  const evaluations = new Map(known);
  let tooLong = first;
  for (let tries = 0; tries < triesMax; tries++) {
    for (const [position, stored] of tooLong.items)
      evaluations.set(position, await unit.evaluate(position, stored, slices));
    const result = await unit.run(evaluations, false);
    if (!(result instanceof TooLong)) return { done: result as R };
    tooLong = result;
  }
  return { tooLong, evaluations };
}

function bytesOf({ items }: TooLong): number {
  let bytes = 0;
  for (const stored of items.values()) bytes += stored?.length ?? 0;
  return bytes;
}

function contended(): StoreError {
  return new StoreError(
    'contention',
    'Other writers changed the items again and again while a condition was evaluated',
  );
}

/** The bytes of stored items that are evaluated at the same time, unless one unit has more. */
const evaluatedBytesMax = 16 * 1024 * 1024;
/**
 * How often a unit is tried while it claims its items. Only other processes, Time to Live and imports can change them then.
 */
const claimedTriesMax = 10;
