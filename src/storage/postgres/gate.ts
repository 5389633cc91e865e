import { machine } from '../../runtime/machine/machine.ts';
import { StoreError } from '../store-error.ts';

/** Lets in so many at a time. The pool of `pg` would do that too, but knows no urgency. */
export class Gate {
  #free: number;
  readonly #msMax: number;
  readonly #urgent = new Set<() => void>();
  readonly #others = new Set<() => void>();

  constructor(atOnce: number, msMax: number) {
    this.#free = atOnce;
    this.#msMax = msMax;
  }

  async enter(isUrgent: boolean): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const waiting = isUrgent ? this.#urgent : this.#others;
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        cancel();
        resolve();
      };
      waiting.add(enter);
      const cancel = machine.timer(this.#msMax, () => {
        waiting.delete(enter);
        reject(new StoreError('unavailable', `No connection to PostgreSQL was free for ${this.#msMax} ms`));
      });
    });
  }

  leave(): void {
    for (const waiting of [this.#urgent, this.#others])
      for (const enter of waiting) {
        waiting.delete(enter);
        enter();
        return;
      }
    this.#free++;
  }
}
