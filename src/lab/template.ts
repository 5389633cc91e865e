import { timeText, token } from '../workload/draw-value.ts';
import { hashText, mix } from '../workload/seeded.ts';
import type { Draws } from './draws.ts';

/** Names in templates that are there without being declared. */
export const builtInNames = ['time', 'date', 'hour', 'minute', 'epoch', 'id', 'call', 'shard', 'random'];

/** What texts of one call are made from. */
export interface CallFacts {
  readonly nowMs: number;
  /** The number of the call within its pattern. */
  readonly number: number;
  /** Differs between patterns, so that their ids never meet. */
  readonly label: number;
  readonly draws: Draws;
  /** The shard that a query is sent to, where it goes to all of them. */
  readonly shard?: number;
}

type Part = string | ((facts: CallFacts) => string);

/** A text with `{names}` in it, read once and filled in for every call. */
export class Template {
  /** Names of keys that the text needs. */
  readonly names: readonly string[];
  readonly #parts: readonly Part[];

  constructor(text: string) {
    const names: string[] = [];
    const parts: Part[] = [];
    let from = 0;
    for (const match of text.matchAll(/\{([A-Za-z]\w*)(?::(\d+))?\}/g)) {
      if (match.index > from) parts.push(text.slice(from, match.index));
      const [whole, name, number] = match;
      if (!builtInNames.includes(name!)) names.push(name!);
      parts.push(partOf(name!, number === undefined ? undefined : Number(number)));
      from = match.index + whole.length;
    }
    if (from < text.length || parts.length === 0) parts.push(text.slice(from));
    this.names = names;
    this.#parts = parts;
  }

  fill(facts: CallFacts): string {
    const parts = this.#parts;
    let text = '';
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at]!;
      text += typeof part === 'string' ? part : part(facts);
    }
    return text;
  }
}

const shardsUsual = 10;

function partOf(name: string, number: number | undefined): (facts: CallFacts) => string {
  switch (name) {
    case 'time':
      return ({ nowMs }) => timeText(nowMs);
    case 'date':
      return ({ nowMs }) => timeText(nowMs).slice(0, 10);
    case 'hour':
      return ({ nowMs }) => timeText(nowMs).slice(0, 13);
    case 'minute':
      return ({ nowMs }) => timeText(nowMs).slice(0, 16);
    case 'epoch':
      return ({ nowMs }) => String(Math.floor(nowMs / 1000));
    case 'id':
      return ({ label, number: call }) => token(label, call, 12);
    case 'call':
      return ({ number: call }) => String(call).padStart(8, '0');
    case 'shard':
      // A calculated suffix: the same for the same call, even among all of them.
      return ({ label, number: call, shard }) =>
        String(shard ?? (mix(label ^ mix(call + 1)) >>> 0) % (number ?? shardsUsual));
    case 'random':
      return ({ draws }) => String(draws.random.below(number ?? 1_000_000));
    default:
      return ({ draws }) => draws.value(name);
  }
}

export function labelOf(name: string): number {
  return hashText(name);
}
