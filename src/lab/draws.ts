import { KeyPicker } from '../workload/key-distribution.ts';
import type { Seeded } from '../workload/seeded.ts';
import type { DrawSpec, KeySpec } from './scenario.ts';

/** Draws the values of keys for one pattern. Within a call, a key has one value. */
export class Draws {
  readonly random: Seeded;
  readonly #keys: ReadonlyMap<string, KeyValues>;
  readonly #drawn = new Map<string, string>();

  constructor(
    random: Seeded,
    keys: Readonly<Record<string, KeySpec>>,
    draws: Readonly<Record<string, DrawSpec>>,
  ) {
    this.random = random;
    this.#keys = new Map(
      Object.entries(keys).map(([name, spec]) => [name, new KeyValues(name, spec, draws[name])]),
    );
  }

  /** The next call draws anew. */
  begin(): void {
    this.#drawn.clear();
  }

  value(name: string): string {
    const known = this.#drawn.get(name);
    if (known !== undefined) return known;
    const drawn = this.#keys.get(name)!.draw(this.random);
    this.#drawn.set(name, drawn);
    return drawn;
  }

  /** Sets a key to its value of a number, as items are loaded. */
  fix(name: string, number: number): void {
    this.#drawn.set(name, this.#keys.get(name)!.text(number));
  }

  /** Sets keys to what another call drew. */
  take(values: ReadonlyMap<string, string>): void {
    this.#drawn.clear();
    for (const [name, value] of values) this.#drawn.set(name, value);
  }

  get drawn(): ReadonlyMap<string, string> {
    return this.#drawn;
  }
}

class KeyValues {
  readonly #count: number;
  readonly #before: string;
  readonly #after: string;
  readonly #digits: number;
  readonly #picker: KeyPicker | undefined;
  #next = 0;

  constructor(name: string, { count, as }: KeySpec, draw: DrawSpec | undefined) {
    const form = as ?? `${name}-{n}`;
    const at = form.indexOf('{n}');
    this.#count = count;
    this.#before = at < 0 ? form : form.slice(0, at);
    this.#after = at < 0 ? '' : form.slice(at + 3);
    this.#digits = String(count).length;
    this.#picker = draw === undefined || draw.kind === 'sequence' ? undefined : new KeyPicker(draw, count);
    if (draw?.kind !== 'sequence') this.#next = -1;
  }

  draw(random: Seeded): string {
    if (this.#next >= 0) return this.text(this.#next++ % this.#count);
    return this.text(this.#picker?.pick(random, this.#count) ?? random.below(this.#count));
  }

  /** Numbers begin at 1, as people count. */
  text(number: number): string {
    return `${this.#before}${String(number + 1).padStart(this.#digits, '0')}${this.#after}`;
  }
}
