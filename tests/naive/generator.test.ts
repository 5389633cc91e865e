import { describe, expect, it } from 'vitest';
import { seededRandom, testSeed } from '../seeded-random.ts';
import { requestOf } from './client-steps.ts';
import { randomScript } from './generator.ts';
import { fitsIndex } from './naive-checks.ts';
import { holds } from './naive-conditions.ts';
import { NaiveTable } from './naive-table.ts';
import { NotKnown } from './outcome.ts';
import type { Script, Step } from './steps.ts';
import { attributes, typeNames, typeOf } from './values.ts';

const everything = {
  expressions: true,
  updateItem: true,
  batches: true,
  transactions: true,
  searches: true,
  indexChanges: true,
};

describe('the generator', () => {
  it('makes the same script of the same seed', () => {
    const script = () => randomScript(seededRandom(7), everything, 50);
    expect(JSON.stringify(script())).toBe(JSON.stringify(script()));
  });

  it('makes only what the other side can do', () => {
    for (let seed = 0; seed < 20; seed++) {
      const { steps } = randomScript(seededRandom(seed), { expressions: false, updateItem: false }, 100);
      expect(steps.some(({ kind }) => kind === 'update')).toBe(false);
      const requests = steps.map((step) => Object.keys(requestOf(step, 't')).join());
      expect(requests.filter((members) => /Expression/.test(members))).toEqual([]);
    }
  });

  it('makes tables, values and steps of every kind, and outcomes of both', () => {
    const seed = testSeed('generator');
    const scripts = Array.from({ length: 100 }, (_, i) =>
      randomScript(seededRandom(seed + Math.imul(i, 0x9e3779b1)), everything, 100),
    );
    const tables = scripts.map(({ table }) => table);
    expect(new Set(tables.map(({ globals }) => globals.length))).toEqual(new Set([0, 1, 2, 3]));
    expect(new Set(tables.map(({ locals }) => locals.length))).toEqual(new Set([0, 1, 2]));
    expect(new Set(tables.map(({ hash }) => hash.type))).toEqual(new Set(['S', 'N', 'B']));
    expect(tables.some(({ range }) => range === undefined)).toBe(true);
    expect(tables.some(({ globals }) => globals.some(({ hash }) => hash.length > 1))).toBe(true);
    const stored = new Set(
      scripts.flatMap(({ steps }) =>
        steps.flatMap((step) => (step.kind === 'put' ? Object.values(step.item).map(typeOf) : [])),
      ),
    );
    expect(stored).toEqual(new Set(typeNames));
    const outcomes = new Outcomes();
    for (const script of scripts) outcomes.of(script);
    const { steps, notKnown, answersBy, holding, failing } = outcomes;
    for (const [kind, least] of [
      ['put', 0.5],
      ['get', 0.8],
      ['update', 0.25],
      ['delete', 0.5],
      ['batchGet', 0.6],
      ['query', 0.7],
      ['scan', 0.7],
      ['batchWrite', 0.6],
      ['transactWrite', 0.15],
      ['transactGet', 0.6],
    ] as const) {
      const share = answersBy[kind] / steps[kind];
      expect(share, kind).toBeGreaterThan(least);
      expect(share, kind).toBeLessThan(1);
    }
    expect(answersBy.createIndex).toBeGreaterThan(100);
    expect(answersBy.deleteIndex).toBeGreaterThan(50);
    expect(outcomes.leftOut).toBeGreaterThan(50);
    expect(outcomes.foundInNew).toBeGreaterThan(100);
    expect(holding / (holding + failing)).toBeGreaterThan(0.3);
    expect(holding / (holding + failing)).toBeLessThan(0.7);
    expect(notKnown).toBeLessThan(100 * 100 * 0.04);
  });
});

function noSteps(): Record<Step['kind'], number> {
  return {
    ...{ put: 0, get: 0, update: 0, delete: 0, batchGet: 0, batchWrite: 0, query: 0, scan: 0 },
    ...{ transactWrite: 0, transactGet: 0, createIndex: 0, deleteIndex: 0 },
  };
}

/** What the model alone says to scripts. */
class Outcomes {
  readonly steps: Record<Step['kind'], number> = noSteps();
  readonly answersBy: Record<Step['kind'], number> = noSteps();
  notKnown = 0;
  /** Items that had the keys of a new index and yet did not fit, and items that were found in such an index. */
  leftOut = 0;
  foundInNew = 0;
  holding = 0;
  failing = 0;

  of(script: Script): void {
    const table = new NaiveTable(script.table, 't');
    for (const step of script.steps) {
      this.steps[step.kind]++;
      try {
        this.#condition(table, step);
        const outcome = table.run(step);
        if ('refusal' in outcome) continue;
        this.answersBy[step.kind]++;
        if (step.kind === 'createIndex') {
          const keys = [...step.index.hash, ...step.index.range];
          const keyed = table.items.filter((item) => keys.every(({ name }) => item[name] !== undefined));
          this.leftOut += keyed.filter((item) => !fitsIndex(step.index, item)).length;
        } else if ('index' in step && step.index?.startsWith('new')) {
          for (const { Count } of outcome.answer.found!.pages) this.foundInNew += Count;
        }
      } catch (thrown) {
        if (!(thrown instanceof NotKnown)) throw thrown;
        this.notKnown++;
      }
    }
  }

  #condition(table: NaiveTable, step: Step): void {
    if (!('condition' in step) || step.condition === undefined) return;
    const before = table.items.length === 0 ? undefined : table.items[0];
    if (holds(step.condition, before ?? attributes())) this.holding++;
    else this.failing++;
  }
}
