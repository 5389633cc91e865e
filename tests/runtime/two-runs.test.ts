import { expect, it } from 'vitest';
import { seededRandom, testSeed } from '../seeded-random.ts';
import { mixedWorkload } from './mixed-workload.ts';

const seed = testSeed('two runs');
const firstRun = mixedWorkload(seed, async () => {});

it('two runs from one seed are equal to the byte, background work included', async () => {
  const first = await firstRun;
  const again = await mixedWorkload(seed, heldUp());
  for (const part of ['answers', 'mutations', 'values', 'observed', 'files'] as const) {
    const differs = first[part].findIndex((line, i) => line !== again[part][i]);
    expect([part, differs, first[part][differs]]).toEqual([part, -1, again[part][differs]]);
    expect(again[part].length).toBe(first[part].length);
  }
  // All of the background work has happened.
  const text = first.answers.join('\n');
  for (const said of ['"ExportStatus":"COMPLETED"', '"ImportStatus":"COMPLETED"', '"TableName":"past"'])
    expect(text).toContain(said);
  const [, physics, , , records] = first.observed;
  expect(physics).toContain('"id":8,');
  expect(records).toContain('partitionKey');
  expect(first.files.map((line) => line.split('/')[1])).toEqual(
    expect.arrayContaining(['exports', 'imports', expect.stringMatching(/^alarms.jsonl /)]),
  );
});

it('a run from another seed is another one', async () => {
  const [first, other] = [await firstRun, await mixedWorkload(seed + 1, async () => {})];
  expect(other.answers).not.toEqual(first.answers);
  expect(other.values).not.toEqual(first.values);
});

/** A machine that is slow here and there. */
function heldUp(): () => Promise<void> {
  const random = seededRandom(seed + 2);
  return async () => {
    const endMs = performance.now() + random.below(12);
    while (performance.now() < endMs);
  };
}
