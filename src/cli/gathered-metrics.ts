import type { ProcessMetrics } from '../observe/prometheus.ts';
import { machine } from '../runtime/machine/machine.ts';

/** A worker that does not answer in this time is left out. */
const patienceMs = 1_000;

interface Round {
  readonly found: ProcessMetrics[];
  readonly count: number;
  end(): void;
}

/** Gathers the metrics of several workers for one that was asked for all of them. */
export class GatheredMetrics {
  readonly #rounds = new Map<number, Round>();
  #latest = 0;

  /** Begins to wait for so many answers. Answers the number that they must have. */
  gather(count: number, tell: (found: readonly ProcessMetrics[]) => void): number {
    const wanted = ++this.#latest;
    const found: ProcessMetrics[] = [];
    const end = () => {
      cancel();
      if (this.#rounds.delete(wanted)) tell(found);
    };
    const cancel = machine.timer(patienceMs, end);
    this.#rounds.set(wanted, { found, count, end });
    if (count === 0) end();
    return wanted;
  }

  take(wanted: number, metrics: ProcessMetrics): void {
    const round = this.#rounds.get(wanted);
    if (round === undefined) return;
    round.found.push(metrics);
    if (round.found.length === round.count) round.end();
  }
}
