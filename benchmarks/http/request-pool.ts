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
  /** Made once and sent again and again, or made for the round that comes. */
  #made = new Requests();
  /** The turn that the first of them was made for. */
  #firstMade = 0;
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
      this.#firstMade = this.turn;
      this.#makeAll(Math.ceil(this.#turnsOfLastRound * 1.3));
    } else if (this.#made.count === 0) {
      this.#makeAll(this.#indexes.length * (versions === undefined ? 1 : 2));
    }
    if (versions === undefined && this.#lengths[0] === 0)
      for (let at = 0; at < this.#indexes.length; at++) this.#lengths[at] = this.#answerLength(at);
  }

  index(turn: number): number {
    return this.#indexes[turn % this.#indexes.length]!;
  }

  request(turn: number): Buffer {
    if (!cases[this.#name].once) return this.#made.at(turn % this.#made.count);
    const at = turn - this.#firstMade;
    return at < this.#made.count ? this.#made.at(at) : this.#make(turn);
  }

  /** The length of the right answer when it has no blanks; those of writes are 2. */
  answerLength(turn: number): number {
    return this.#lengths[turn % this.#indexes.length] || 2;
  }

  finishRound(turns: number): void {
    this.turn += turns;
    this.#turnsOfLastRound = turns;
  }

  #makeAll(count: number): void {
    this.#made = new Requests();
    for (let turn = this.#firstMade; turn < this.#firstMade + count; turn++) this.#made.add(this.#make(turn));
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

/** Many requests in one stretch of memory: as a hundred thousand objects they would occupy the garbage collector. */
class Requests {
  #bytes = Buffer.allocUnsafeSlow(1 << 20);
  #end = 0;
  readonly #ends: number[] = [];

  get count(): number {
    return this.#ends.length;
  }

  add(request: Buffer): void {
    if (this.#end + request.length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (this.#bytes.length + request.length));
      this.#bytes.copy(larger, 0, 0, this.#end);
      this.#bytes = larger;
    }
    this.#end += request.copy(this.#bytes, this.#end);
    this.#ends.push(this.#end);
  }

  at(index: number): Buffer {
    return this.#bytes.subarray(index === 0 ? 0 : this.#ends[index - 1], this.#ends[index]);
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
