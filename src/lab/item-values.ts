import { sentence } from '../workload/draw-value.ts';
import { Seeded } from '../workload/seeded.ts';
import type { SizeSpec, ValueSpec } from './scenario.ts';
import { type CallFacts, Template } from './template.ts';

export type AttributeJson =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly BOOL: boolean }
  | { readonly L: readonly AttributeJson[] };

/** Makes a value for a call; undefined where the item has none. */
export type ValueMaker = (facts: CallFacts) => AttributeJson | undefined;

/** Text that sizes are cut from: words, so that it looks like something in a studio. */
const filler = sentence(new Seeded(1, 'filler'), 60_000);

export function valueMaker(spec: ValueSpec): ValueMaker {
  if (typeof spec === 'number') return always({ N: String(spec) });
  if (typeof spec === 'boolean') return always({ BOOL: spec });
  if (typeof spec === 'string') {
    const template = new Template(spec);
    return (facts) => ({ S: template.fill(facts) });
  }
  if ('bytes' in spec) {
    const size = sizeMaker(spec.bytes);
    return (facts) => ({ S: filled(size(facts), facts) });
  }
  if ('number' in spec) {
    const [low, high] = spec.number;
    return ({ draws }) => ({ N: String(draws.random.between(low, high)) });
  }
  if ('choice' in spec) {
    const words = Object.entries(spec.choice);
    const total = words.reduce((sum, [, share]) => sum + share, 0);
    return ({ draws }) => {
      let drawn = draws.random.next() * total;
      for (const [word, share] of words) {
        drawn -= share;
        if (drawn < 0) return { S: word };
      }
      return { S: words.at(-1)![0] };
    };
  }
  if ('list' in spec) {
    const { count, bytes } = spec.list;
    return (facts) => ({ L: Array.from({ length: count }, () => ({ S: filled(bytes, facts) })) });
  }
  const template = new Template(spec.text);
  const { share } = spec;
  return (facts) => (facts.draws.random.chance(share) ? { S: template.fill(facts) } : undefined);
}

/** Names of keys that a value needs. */
export function namesIn(spec: ValueSpec): readonly string[] {
  if (typeof spec === 'string') return new Template(spec).names;
  return typeof spec === 'object' && 'text' in spec ? new Template(spec.text).names : [];
}

function always(value: AttributeJson): ValueMaker {
  return () => value;
}

function sizeMaker(spec: SizeSpec): (facts: CallFacts) => number {
  if (typeof spec === 'number') return () => spec;
  if ('min' in spec) return ({ draws }) => draws.random.between(spec.min, spec.max);
  const total = spec.reduce((sum, { share }) => sum + share, 0);
  return ({ draws }) => {
    let drawn = draws.random.next() * total;
    for (const { bytes, share } of spec) {
      drawn -= share;
      if (drawn < 0) return bytes;
    }
    return spec.at(-1)!.bytes;
  };
}

function filled(bytes: number, { draws }: CallFacts): string {
  if (bytes >= filler.length) return filler.repeat(Math.ceil(bytes / filler.length)).slice(0, bytes);
  const from = draws.random.below(filler.length - bytes);
  return filler.slice(from, from + bytes);
}
