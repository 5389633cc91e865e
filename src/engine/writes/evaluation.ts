import { ConditionWork } from '../../expressions/condition-work.ts';
import type { DynamoError } from '../../model/errors.ts';
import { stepsAtOnceMax } from '../../model/slices.ts';
import { decodeAttributes, decodeItem } from '../../model/stored/stored-item.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { equalLongBytes } from '../../model/values/bytes.ts';
import type { NextItem } from './write-item.ts';

/**
 * The evaluation of a write, or of a ConditionCheck, outside of the unit. A unit is one piece of work, which holds the
 * event loop from its start to its end. So it gives up an evaluation that takes long (`TooLong`). The evaluation is then
 * made in slices, and the unit runs again with its result.
 *
 * The unit uses an evaluation only if the item has the very bytes that were evaluated. An evaluation is a pure function of
 * these bytes and of the request, so the unit decides as if it had evaluated itself.
 */
export interface Evaluation {
  /** The stored item that was evaluated. */
  readonly stored: Uint8Array | undefined;
  /** The attributes of the old and the new item that the rest of the unit needs. */
  readonly before: Item | undefined;
  readonly next: NextItem | DynamoError;
  /** The new item in its stored form, under a header without meaning. */
  readonly encoded: Uint8Array | undefined;
}

/** Evaluations of the actions of a unit, by position. A single write has position 0. */
export type Evaluations = ReadonlyMap<number, Evaluation>;

export const noEvaluations: Evaluations = new Map();

/** The result of a unit that gave up some of its evaluations: the stored items, by the positions of their actions. */
export class TooLong {
  readonly items: ReadonlyMap<number, Uint8Array | undefined>;

  constructor(items: ReadonlyMap<number, Uint8Array | undefined>) {
    this.items = items;
  }
}

/** The work that one unit may do before it gives up. */
export interface UnitLimits {
  readonly steps: number;
  readonly bytes: number;
}

/**
 * lmdb decides up to 256 units in one turn of the event loop, so a unit has that part of the longest piece of work.
 *
 * The bytes count stored items that the actions of a transaction decode: as many as a page of a Query has.
 */
export const unitLimits: UnitLimits = { steps: Math.floor(stepsAtOnceMax / 256), bytes: 1024 * 1024 };

/** Counts the work of one unit. */
export class UnitWork {
  readonly #limits: UnitLimits;
  #steps = 0;
  #bytes = 0;

  constructor(limits: UnitLimits) {
    this.#limits = limits;
  }

  /** Whether nothing more may be evaluated. The first item may be of any size. */
  get isOver(): boolean {
    return this.#steps >= this.#limits.steps || this.#bytes >= this.#limits.bytes;
  }

  begin(stored: Uint8Array | undefined): ConditionWork {
    this.#bytes += stored?.length ?? 0;
    return new ConditionWork(this.#limits.steps - this.#steps, true);
  }

  end(work: ConditionWork): void {
    this.#steps += work.steps;
  }
}

/** The evaluation of an action whose item is stored with these very bytes. */
export function evaluationOf(
  evaluation: Evaluation | undefined,
  stored: Uint8Array | undefined,
): Evaluation | undefined {
  return evaluation !== undefined && sameBytes(evaluation.stored, stored) ? evaluation : undefined;
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && equalLongBytes(a, b);
}

/** Decodes the attributes that a check looks at. */
export function decodeLooked(stored: Uint8Array, looksAt: ReadonlySet<string> | undefined): Item {
  return looksAt === undefined ? decodeItem(stored) : decodeAttributes(stored, looksAt);
}
