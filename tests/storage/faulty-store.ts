import { whenDone } from '../../src/model/maybe-promise.ts';
import type { CallOptions, MaybePromise, Outcome, Store, Unit } from '../../src/storage/store.ts';
import { StoreError, type Trouble } from '../../src/storage/store-error.ts';
import { type Call, InterceptedStore, type Method, mayWrite } from './intercepted-store.ts';

/**
 * Which calls go wrong, and how. `method` and `where` choose calls; `nth` and `from` count, from 1, among the calls
 * so chosen. Left out, each means "all". Several faults may hit one call: then all of them apply, in the plan's
 * order.
 */
export interface Fault {
  readonly method?: Method;
  readonly where?: (call: Call) => boolean;
  /** Only the n-th of the chosen calls. */
  readonly nth?: number;
  /** The n-th of the chosen calls and all after it, as when a server went away. */
  readonly from?: number;
  readonly effect: Effect;
}

export type Effect =
  /** Fails before the call did anything. */
  | { readonly kind: 'refuse'; readonly trouble: Trouble; readonly units?: readonly number[] }
  /** Does the call and loses its answer: a crash between the commit and its acknowledgement. */
  | { readonly kind: 'lose-answer'; readonly units?: readonly number[] }
  /** Holds the call back, or holds back its answer, until the test opens the gate. */
  | { readonly kind: 'hold-call' | 'hold-answer'; readonly gate: Gate };

/**
 * With trouble `unknown-outcome` this is the other half of a lost answer: the unit was lost on its way, and its
 * caller cannot tell. `units` are the indices of those units of a `transactMany` that fail; left out: all.
 */
export function refuse(trouble: Trouble, units?: readonly number[]): Effect {
  return { kind: 'refuse', trouble, ...(units && { units }) };
}

/** `units` as for `refuse`: the others are acknowledged. A read has no outcome and fails as `unavailable`. */
export function loseAnswer(units?: readonly number[]): Effect {
  return { kind: 'lose-answer', ...(units && { units }) };
}

export function holdCall(gate: Gate): Effect {
  return { kind: 'hold-call', gate };
}

export function holdAnswer(gate: Gate): Effect {
  return { kind: 'hold-answer', gate };
}

/** Where held calls wait. No clock is involved: a test knows when a call has arrived and says when it goes on. */
export class Gate {
  /** Resolves when the first call stands at the gate. */
  readonly reached: Promise<void>;
  readonly #opened: Promise<void>;
  #reach = () => {};
  #open = () => {};

  constructor() {
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  /** Lets everybody through who stands here, or comes later. */
  open(): void {
    this.#open();
  }

  pass(): Promise<void> {
    this.#reach();
    return this.#opened;
  }
}

/** A store that misbehaves according to a plan, and otherwise does exactly what the store inside it does. */
export class FaultyStore extends InterceptedStore {
  /** Every call made so far, those that failed included. */
  readonly calls: Call[] = [];
  readonly #plan: { readonly fault: Fault; chosen: number }[];

  constructor(inner: Store, plan: readonly Fault[] = []) {
    super(inner);
    this.#plan = plan.map((fault) => ({ fault, chosen: 0 }));
  }

  protected override intercept<T>(call: Call, run: () => MaybePromise<T>): MaybePromise<T> {
    return around(this.#effectsOn(call), run, (effect) => {
      if (effect.kind === 'refuse') throw troubleFrom(effect.trouble, 'was refused');
      if (mayWrite(call.method)) throw troubleFrom('unknown-outcome', 'was done and its answer lost');
      throw troubleFrom('unavailable', 'was a read whose answer was lost');
    });
  }

  override transactMany<R>(units: readonly Unit<R>[], options?: CallOptions): MaybePromise<Outcome<R>[]> {
    const effects = this.#effectsOn({ method: 'transactMany', args: [units, options], onSnapshot: false });
    const isHit = (effect: Effect, index: number) =>
      'gate' in effect || effect.units === undefined || effect.units.includes(index);
    const refused = units.map((unit, index): Unit<R> => {
      const refusal = effects.find((effect) => effect.kind === 'refuse' && isHit(effect, index));
      return refusal?.kind === 'refuse' ? refusedUnit(refusal.trouble) : unit;
    });
    const holds = effects.filter((effect) => 'gate' in effect);
    const losses = effects.filter((effect) => effect.kind === 'lose-answer');
    return whenDone(
      around(
        holds,
        () => this.inner.transactMany(refused, options),
        () => {},
      ),
      (outcomes) =>
        outcomes.map((outcome, index) =>
          outcome.ok && losses.some((loss) => isHit(loss, index))
            ? { ok: false, error: troubleFrom('unknown-outcome', 'was done and its answer lost') }
            : outcome,
        ),
    );
  }

  #effectsOn(call: Call): Effect[] {
    this.calls.push(call);
    const effects: Effect[] = [];
    for (const entry of this.#plan) {
      const { method, where, nth, from, effect } = entry.fault;
      if (method !== undefined && method !== call.method) continue;
      if (where !== undefined && !where(call)) continue;
      entry.chosen++;
      if (nth !== undefined && entry.chosen !== nth) continue;
      if (from !== undefined && entry.chosen < from) continue;
      effects.push(effect);
    }
    return effects;
  }
}

/** Runs a call with what stands before it and what stands after it, in the order of the effects. */
function around<T>(
  effects: readonly Effect[],
  run: () => MaybePromise<T>,
  fail: (effect: Effect) => void,
): MaybePromise<T> {
  const [before, after] = [
    effects.filter(({ kind }) => kind === 'refuse' || kind === 'hold-call'),
    effects.filter(({ kind }) => kind === 'lose-answer' || kind === 'hold-answer'),
  ];
  return whenDone(applyAll(before, fail), () =>
    whenDone(run(), (result) => whenDone(applyAll(after, fail), () => result)),
  );
}

function applyAll(effects: readonly Effect[], fail: (effect: Effect) => void): MaybePromise<void> {
  return effects.reduce<MaybePromise<void>>(
    (done, effect) => whenDone(done, () => ('gate' in effect ? effect.gate.pass() : fail(effect))),
    undefined,
  );
}

/** A unit that throws writes nothing and leaves the others alone, which is just what being refused means. */
function refusedUnit<R>(trouble: Trouble): Unit<R> {
  return {
    reads: [],
    decide: () => {
      throw troubleFrom(trouble, 'was refused');
    },
  };
}

function troubleFrom(trouble: Trouble, what: string): StoreError {
  return new StoreError(trouble, `A fault of the test's plan: the call ${what}`);
}
