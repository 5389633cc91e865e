import { nextTurn, wait } from '../runtime/machine/machine.ts';
import { Seeded } from '../workload/seeded.ts';
import { type Caller, operations } from './caller.ts';

interface Waiting {
  readonly name: string;
  readonly operation: string;
  go(): void;
}

/** How long workers may be busy with something else than requests, in pauses of a millisecond. */
const idleMax = 2_000;

/**
 * Several workers on one database, one request at a time, in an order that a seed draws. Two runs with the same seed are the
 * same, so that a race that was found can be shown.
 */
export class Interleaving {
  /** Who did what, in order: `ann GetItem`. */
  readonly trace: string[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #random: Seeded;

  constructor(seed: number) {
    this.#random = new Seeded(seed, 'interleaving');
  }

  /** The database as one worker sees it. */
  callerFor(name: string, caller: Caller): Caller {
    return operations(async (operation, request) => {
      await this.#turn(name, operation);
      return caller[operation](request);
    });
  }

  /** Runs the workers to their end. The first one that fails ends the run with its error. */
  async run<Answer>(workers: readonly (() => Promise<Answer>)[]): Promise<Answer[]> {
    let unfinished = workers.length;
    let failed = false;
    const answers = Promise.all(
      workers.map(async (worker) => {
        try {
          return await worker();
        } catch (error) {
          failed = true;
          throw error;
        } finally {
          unfinished--;
        }
      }),
    );
    // The error is told by `await answers`; until then nobody else may see it.
    answers.catch(() => {});
    let idle = 0;
    while (unfinished > 0 && !failed) {
      await nextTurn();
      if (this.#waiting.length === 0) {
        if (++idle > idleMax) break;
        if (idle > 3) await wait(1);
        continue;
      }
      idle = 0;
      const [chosen] = this.#waiting.splice(this.#random.below(this.#waiting.length), 1);
      const { name, operation } = chosen!;
      this.trace.push(`${name} ${operation.charAt(0).toUpperCase()}${operation.slice(1)}`);
      chosen!.go();
    }
    return answers;
  }

  /** The trace as a sentence, cut where it gets long. */
  get story(): string {
    const most = 12;
    const told = this.trace.slice(0, most).join(', ');
    return this.trace.length > most ? `${told} …` : told;
  }

  #turn(name: string, operation: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ name, operation, go: resolve }));
  }
}
