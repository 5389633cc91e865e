import { describe, expect, it, onTestFinished } from 'vitest';
import { evaluateOutside } from '../outside-units.ts';
import { rounds, testSeed, testSeeds } from '../seeded-random.ts';
import { type ComparisonReport, compareRandomly, NaiveMismatch, scriptText } from './compare.ts';
import {
  capabilities,
  type Door,
  lmdbInProcess,
  memoryInProcess,
  memoryOverHttp,
  postgresInProcess,
} from './doors.ts';

const doors: Readonly<Record<string, () => Promise<Door>>> = {
  'memory in process': memoryInProcess,
  'memory over HTTP': memoryOverHttp,
  'lmdb in process': lmdbInProcess,
  'postgres in process': postgresInProcess,
};

describe('random steps', () => {
  for (const [name, open] of Object.entries(doors)) {
    const options = { timeout: 3_600_000 };
    it.each(testSeeds('naive model'))(`agree with the naive model (${name}, %i)`, options, async (seed) => {
      // A little more than 100,000 in a long run, since one step in eighty is left out.
      const steps = rounds(4_100, 25);
      let items = 0;
      const report = await through(open, ({ client, check }) => {
        const inspect = async () => {
          const found = await check();
          expect(found).toMatchObject({ findings: [], unjudged: [] });
          items += found.items;
        };
        return compareRandomly({ client, capabilities, seed, steps, inspect });
      });
      expect(items).toBeGreaterThan(0);
      console.info(summary(name, report));
      // Both kinds of answer must be common enough for the agreement to mean something.
      const refusals = steps - report.answers;
      expect(report.answers).toBeGreaterThan(steps * 0.4);
      expect(refusals).toBeGreaterThan(steps * 0.01);
      expect(total(report.notKnown)).toBeLessThan(steps * 0.05);
    });
  }
});

describe('evaluations outside of units', () => {
  it.each([
    ['memory', memoryInProcess],
    ['lmdb', lmdbInProcess],
  ])('agree with the naive model (%s)', async (_, open) => {
    const outside = evaluateOutside();
    onTestFinished(outside.end);
    const seed = testSeed('naive model, outside of units');
    await through(open, ({ client, check }) => {
      const inspect = async () => expect(await check()).toMatchObject({ findings: [], unjudged: [] });
      return compareRandomly({ client, capabilities, seed, steps: rounds(800, 25), inspect });
    });
    expect(outside.units()).toBeGreaterThan(100);
  });
});

describe('a planted bug', () => {
  it('is found and shrunk to a short script', async () => {
    const seed = testSeed('naive model, planted bug');
    const found = await through(memoryInProcess, async (door) => {
      loseNestedNulls(door);
      // Without expressions there are few ways to show the bug, and the shortest script is known.
      const capabilities = { expressions: false, updateItem: false };
      return compareRandomly({ client: door.client, capabilities, seed, steps: 50_000 }).catch(
        (error: unknown) => error,
      );
    });
    if (!(found instanceof NaiveMismatch)) throw found;
    expect(found.message).toContain(`STATOR_TEST_SEED=${seed}`);
    // A list with the value that gets lost, put and then read by whatever shows it.
    expect(found.script.steps.length).toBeLessThanOrEqual(2);
    expect(found.script.steps[0]!.kind).toBe('put');
    expect(scriptText(found.script, found.mismatch).length).toBeLessThan(1_000);
    expect(found.message).toMatch(/"L":\[\{"NULL":true\}\]/);
  });
});

/** Whatever is answered loses the NULLs that stand in its lists, as if reading them had been forgotten. */
function loseNestedNulls({ client }: Door): void {
  const losing = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
    if (Array.isArray(value)) {
      return value.filter((element) => !(Object(element) === element && 'NULL' in element)).map(losing);
    }
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, losing(inner)]));
  };
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      return { ...result, output: losing(result.output) as typeof result.output };
    },
    { step: 'initialize', name: 'planted bug' },
  );
}

async function through<T>(open: () => Promise<Door>, run: (door: Door) => Promise<T>): Promise<T> {
  const door = await open();
  try {
    return await run(door);
  } finally {
    await door.close();
  }
}

function summary(name: string, report: ComparisonReport): string {
  const listed = (counts: ReadonlyMap<string, number>) =>
    [...counts].sort(([, a], [, b]) => b - a).map(([what, times]) => `  ${times} × ${what}`);
  return [
    `${name}: ${report.steps} steps on ${report.tables} tables, ${report.answers} answers`,
    ...listed(report.refusals),
    ...(report.notKnown.size === 0 ? [] : ['left out, because it is not known', ...listed(report.notKnown)]),
  ].join('\n');
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, times) => sum + times, 0);
}
