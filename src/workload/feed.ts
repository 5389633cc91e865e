import type { CompiledDesign, Done, Model, Round } from '../design/index.ts';
import { applyEffects } from './apply-effects.ts';
import { type Call, CallSource } from './calls.ts';
import type { Population } from './population.ts';
import { Arrivals, type RateCurve } from './rate-curve.ts';
import { Seeded } from './seeded.ts';
import type { KeyOverrides } from './skewed-values.ts';

/** One call of a workload: when it comes, what it sends, and what its success means. */
export interface Job {
  readonly atMs: number;
  readonly pattern: string;
  /** The first requests, made when the call begins; undefined if there is nothing to ask for then. */
  begin(): Started | undefined;
}

export interface Started {
  readonly round: Round<unknown> | Done<unknown>;
  /** Called with the result when all requests have been answered. May answer a call that follows from it. */
  done?(result: unknown): Job | undefined;
  /** The call itself, for who writes it down. */
  readonly call?: Call;
}

/** Calls in the order of their times. */
export interface Feed {
  next(): Job | undefined;
}

export interface PatternTraffic {
  /** Calls a second, before the curve's factor. */
  readonly rate: number;
  readonly curve?: RateCurve | undefined;
}

export interface ModelFeedOptions {
  readonly seconds: number;
  readonly seed: number;
  /** The traffic of each pattern; a pattern that is not named has none. */
  readonly traffic: Readonly<Record<string, PatternTraffic>>;
  readonly keys?: KeyOverrides | undefined;
}

/** The peak rates of all patterns of a model, multiplied. */
export function peakTraffic(model: Model, factor = 1, curve?: RateCurve): Record<string, PatternTraffic> {
  const patterns = [...model.reads, ...model.writes];
  return Object.fromEntries(
    patterns.map(({ name, rate }) => [
      name,
      { rate: rate.peak * factor, ...(curve === undefined ? {} : { curve }) },
    ]),
  );
}

interface Line {
  readonly pattern: string;
  readonly arrivals: Arrivals;
  atMs: number | undefined;
}

/** Calls of a model's patterns, drawn from their rates and skews. */
export class ModelFeed implements Feed {
  readonly #population: Population;
  readonly #compiled: CompiledDesign;
  readonly #source: CallSource;
  readonly #startMs: number;
  readonly #lines: readonly Line[];

  constructor(population: Population, compiled: CompiledDesign, options: ModelFeedOptions) {
    const { seconds, seed, traffic, keys } = options;
    this.#population = population;
    this.#compiled = compiled;
    this.#source = new CallSource(population, seed, keys);
    this.#startMs = population.era.nowMs;
    this.#lines = Object.entries(traffic).map(([pattern, { rate, curve }]) => {
      const arrivals = new Arrivals(
        new Seeded(seed, 'arrivals', pattern),
        rate,
        curve ?? { kind: 'constant' },
        seconds,
      );
      return { pattern, arrivals, atMs: arrivals.next() };
    });
  }

  next(): Job | undefined {
    let first: Line | undefined;
    for (const line of this.#lines)
      if (line.atMs !== undefined && (first === undefined || line.atMs < first.atMs!)) first = line;
    if (first === undefined) return undefined;
    const { atMs, pattern } = first;
    first.atMs = first.arrivals.next();
    return { atMs: atMs!, pattern, begin: () => this.#begin(pattern, atMs!) };
  }

  #begin(pattern: string, atMs: number): Started | undefined {
    const source = this.#source;
    source.nowMs = this.#startMs + Math.floor(atMs);
    const read = this.#compiled.reads.get(pattern);
    if (read !== undefined) {
      const call = source.read(read.pattern);
      return call && { call, round: read.begin(call.given, call.bounds) };
    }
    const write = this.#compiled.writes.get(pattern);
    const call = write && source.write(write.pattern);
    if (call === undefined) return undefined;
    const { command, token, spreadBy } = call;
    const nowMs = source.nowMs;
    return {
      call,
      round: write!.begin(call.given, {
        nowMs,
        spreadBy,
        ...(command ? { command } : {}),
        ...(token ? { token } : {}),
      }),
      done: () => {
        applyEffects(this.#population, call.effects);
        return undefined;
      },
    };
  }
}
