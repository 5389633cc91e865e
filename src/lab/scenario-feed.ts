import type { Answer, Request, Round } from '../design/index.ts';
import type { Feed, Job, Started } from '../workload/feed.ts';
import { Arrivals } from '../workload/rate-curve.ts';
import { Seeded } from '../workload/seeded.ts';
import { Actions, type RequestMaker } from './actions.ts';
import { Draws } from './draws.ts';
import type { PatternSpec, Scenario } from './scenario.ts';
import { labelOf } from './template.ts';

export interface ScenarioFeedOptions {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly startMs: number;
  /** Multiplies all rates. */
  readonly scale: number;
  /** Is told how far behind its table a consumer is, at each of its calls. */
  readonly onLag?: (pattern: string, lagMs: number) => void;
}

interface Line {
  readonly name: string;
  readonly spec: PatternSpec;
  readonly make: RequestMaker;
  readonly draws: Draws;
  readonly label: number;
  readonly arrivals: Arrivals | undefined;
  readonly followers: Line[];
  atMs: number | undefined;
  calls: number;
  /** When a consumer has worked off what it has. */
  freeMs: number;
  /** Where a scan goes on; undefined at the beginning. */
  cursor: unknown;
  isScanning: boolean;
}

/** The calls of a scenario's patterns, in the order of their times. */
export class ScenarioFeed implements Feed {
  readonly #options: ScenarioFeedOptions;
  readonly #lines: Line[] = [];

  constructor(options: ScenarioFeedOptions) {
    this.#options = options;
    const { scenario, seed, scale } = options;
    const actions = new Actions(scenario);
    for (const [name, spec] of patternsOf(scenario)) {
      const { rate = 0, curve = { kind: 'constant' } as const, after } = spec;
      const arrivals =
        after === undefined
          ? new Arrivals(new Seeded(seed, 'arrivals', name), rate * scale, curve, scenario.seconds)
          : undefined;
      this.#lines.push({
        ...{ name, spec, arrivals, make: actions.makerOf(spec), label: labelOf(name), followers: [] },
        draws: new Draws(new Seeded(seed, 'draws', name), scenario.keys ?? {}, spec.keys ?? {}),
        ...{ atMs: arrivals?.next(), calls: 0, freeMs: 0, cursor: undefined, isScanning: false },
      });
    }
    for (const line of this.#lines)
      if (line.spec.after !== undefined)
        this.#lines.find(({ name }) => name === line.spec.after!.pattern)!.followers.push(line);
  }

  next(): Job | undefined {
    let first: Line | undefined;
    for (const line of this.#lines)
      if (line.atMs !== undefined && (first === undefined || line.atMs < first.atMs!)) first = line;
    if (first === undefined) return undefined;
    const line = first;
    const atMs = line.atMs!;
    const number = line.calls++;
    line.atMs =
      line.calls >= (line.spec.times ?? Number.POSITIVE_INFINITY) ? undefined : line.arrivals!.next();
    return { atMs, pattern: line.name, begin: () => this.#begin(line, atMs, number) };
  }

  #begin(line: Line, atMs: number, number: number): Started | undefined {
    line.draws.begin();
    return this.#started(line, atMs, number);
  }

  #started(line: Line, atMs: number, number: number): Started | undefined {
    const { make, draws, label, followers, spec } = line;
    if (line.isScanning) return undefined;
    const nowMs = this.#options.startMs + Math.floor(atMs);
    let requests = make({ nowMs, number, label, draws }) as unknown as Request[];
    if (spec.scan !== undefined) {
      line.isScanning = true;
      const input = {
        ...requests[0]!.input,
        ...(line.cursor !== undefined && { ExclusiveStartKey: line.cursor }),
      };
      requests = [{ operation: 'Scan', input } as unknown as Request];
    }
    const round = answered(requests);
    if (followers.length === 0 && spec.scan === undefined) return { round };
    const drawn = new Map(draws.drawn);
    return {
      round,
      done: (result) => {
        if (spec.scan !== undefined) {
          line.isScanning = false;
          line.cursor = (result as { readonly LastEvaluatedKey?: unknown }).LastEvaluatedKey;
        }
        return followers.length === 0 ? undefined : this.#follow(followers, drawn, atMs, number);
      },
    };
  }

  /** The calls of consumers that see a change, one after the other. */
  #follow(
    [line, ...others]: readonly Line[],
    drawn: ReadonlyMap<string, string>,
    atMs: number,
    number: number,
  ): Job {
    const { delayMs = 200, perSecond } = line!.spec.after!;
    const startMs = Math.max(atMs + delayMs, line!.freeMs);
    line!.freeMs = perSecond === undefined ? 0 : startMs + 1000 / perSecond;
    const begin = () => {
      this.#options.onLag?.(line!.name, startMs - atMs);
      line!.draws.take(drawn);
      const started = this.#started(line!, startMs, number);
      if (started === undefined || others.length === 0) return started;
      return { ...started, done: () => this.#follow(others, drawn, atMs, number) };
    };
    return { atMs: Math.round(startMs * 1000) / 1000, pattern: line!.name, begin };
  }
}

/** The patterns that are not taken out. */
export function patternsOf({ patterns }: Scenario): [string, PatternSpec][] {
  return Object.entries(patterns).flatMap(([name, spec]) => (spec === null ? [] : [[name, spec]]));
}

function answered(requests: readonly Request[]): Round<unknown> {
  return {
    requests,
    next: (answers) => ({ result: answers.length === 1 ? answers[0] : { count: itemsOf(answers) } }),
  };
}

function itemsOf(answers: readonly Answer[]): number {
  let count = 0;
  for (const { Items } of answers as readonly { readonly Items?: readonly unknown[] }[])
    count += Items?.length ?? 0;
  return count;
}
