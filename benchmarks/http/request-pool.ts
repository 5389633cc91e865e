import { seededRandom } from '../../tests/seeded-random.ts';
import { type CaseName, cases } from './cases.ts';
import type { Orders } from './items.ts';
import { RequestSigner } from './signed-request.ts';

/** Requests for more items than this differ only in bytes that no server looks at. */
const indexesMax = 20_000;

/**
 * The requests of one case to one server, made and signed before they are needed, for items in random order. It is
 * kept from round to round and goes on where it stopped, so that a write never finds what it would write.
 */
export class RequestPool {
  readonly #name: CaseName;
  readonly #orders: Orders;
  readonly #signer: RequestSigner;
  readonly #indexes: Uint32Array;
  readonly #madeAt = Date.now();
  readonly #kept: Buffer[] = [];
  readonly #fresh = new Map<number, Buffer>();
  readonly #lengths: Uint32Array;
  /** The turn that comes next. */
  turn = 0;
  #turnsOfLastRound = 8_000;

  constructor(name: CaseName, orders: Orders, port: number, seed: number) {
    this.#name = name;
    this.#orders = orders;
    this.#signer = new RequestSigner(port);
    const span = cases[name].span?.(orders.count) ?? orders.count;
    this.#indexes = someOf(span, Math.min(span, indexesMax), seed);
    this.#lengths = new Uint32Array(this.#indexes.length);
  }

  /** Signatures are good for a quarter of an hour. */
  get isFresh(): boolean {
    return Date.now() - this.#madeAt < 8 * 60_000;
  }

  /** Makes what a round will need, so that the round itself does not have to. */
  prepare(): void {
    const { once, versions } = cases[this.#name];
    if (once) {
      this.#fresh.clear();
      const turns = Math.ceil(this.#turnsOfLastRound * 1.3);
      for (let turn = this.turn; turn < this.turn + turns; turn++) this.#fresh.set(turn, this.#make(turn));
    } else if (this.#kept.length === 0) {
      const turns = this.#indexes.length * (versions === undefined ? 1 : 2);
      for (let turn = 0; turn < turns; turn++) this.#kept.push(this.#make(turn));
    }
    if (versions === undefined && this.#lengths[0] === 0)
      for (let at = 0; at < this.#indexes.length; at++) this.#lengths[at] = this.#answerLength(at);
  }

  index(turn: number): number {
    return this.#indexes[turn % this.#indexes.length]!;
  }

  request(turn: number): Buffer {
    if (cases[this.#name].once) return this.#fresh.get(turn) ?? this.#make(turn);
    return this.#kept[turn % this.#kept.length]!;
  }

  /** The length of the right answer when it has no blanks; those of writes are 2. */
  answerLength(turn: number): number {
    return this.#lengths[turn % this.#indexes.length] || 2;
  }

  finishRound(turns: number): void {
    this.turn += turns;
    this.#turnsOfLastRound = turns;
  }

  #make(turn: number): Buffer {
    const { operation, versions, input } = cases[this.#name];
    const pass = Math.floor(turn / this.#indexes.length) % 2;
    return this.#signer.request(operation, input(this.#orders, this.index(turn), versions?.[pass] ?? 0));
  }

  #answerLength(at: number): number {
    return Buffer.byteLength(JSON.stringify(cases[this.#name].answer(this.#orders, this.#indexes[at]!)));
  }
}

/** So many different numbers below an end, in random order. */
export function someOf(end: number, length: number, seed: number): Uint32Array {
  const random = seededRandom(seed);
  const all = Uint32Array.from({ length: end }, (_, index) => index);
  for (let at = 0; at < length; at++) {
    const other = at + random.below(end - at);
    [all[at], all[other]] = [all[other]!, all[at]!];
  }
  return all.slice(0, length);
}
