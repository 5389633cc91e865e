import { describe, expect, it } from 'vitest';
import { seededRandom, testSeed } from '../seeded-random.ts';
import { requestOf } from './client-steps.ts';
import { randomScript } from './generator.ts';
import { shrink } from './shrink.ts';
import type { Script } from './steps.ts';

const everything = { expressions: true, updateItem: true };

/** A script for which something holds, from a seed that is told. */
function scriptWhere(what: string, fails: (script: Script) => boolean): Script {
  const seed = testSeed(`shrink, ${what}`);
  for (let i = 0; ; i++) {
    const script = randomScript(seededRandom(seed + i), everything, 100);
    if (fails(script)) return script;
  }
}

/** The texts of all requests of a script, as a failing test would print them. */
function requests(script: Script): string[] {
  return script.steps.map((step) => JSON.stringify(requestOf(step, 't')));
}

describe('shrinking', () => {
  it('keeps the one comparison that matters', async () => {
    const fails = (script: Script) => requests(script).some((text) => /between/i.test(text));
    const smallest = await shrink(scriptWhere('condition', fails), async (script) => fails(script));
    expect(smallest.steps).toHaveLength(1);
    expect(smallest.table.globals).toEqual([]);
    const [step] = smallest.steps;
    expect(step && 'condition' in step && step.condition?.kind).toBe('between');
    expect(requests(smallest)[0]!.length).toBeLessThan(350);
  });

  it('keeps the one action that matters', async () => {
    const fails = (script: Script) => requests(script).some((text) => /list_append/.test(text));
    const smallest = await shrink(scriptWhere('update', fails), async (script) => fails(script));
    expect(smallest.steps).toHaveLength(1);
    const [step] = smallest.steps;
    expect(step?.kind === 'update' && step.update).toHaveLength(1);
    expect(step?.kind === 'update' && step.condition).toBeUndefined();
  });

  it('keeps two steps that belong together', async () => {
    // A put of a list and, some time after it, a deletion.
    const fails = ({ steps }: Script) => {
      const put = steps.findIndex(
        (step) => step.kind === 'put' && /"L":\[\{/.test(JSON.stringify(step.item)),
      );
      return put !== -1 && steps.slice(put).some(({ kind }) => kind === 'delete');
    };
    const smallest = await shrink(scriptWhere('two steps', fails), async (script) => fails(script));
    expect(smallest.steps.map(({ kind }) => kind)).toEqual(['put', 'delete']);
    expect(requests(smallest)[0]!.length).toBeLessThan(120);
  });

  it('asks no more often than it may', async () => {
    let asked = 0;
    const script = randomScript(seededRandom(1), everything, 100);
    await shrink(script, async () => ++asked < 0, 40);
    expect(asked).toBe(40);
  });
});
