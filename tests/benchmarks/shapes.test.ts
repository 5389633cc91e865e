import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildPackage } from '../../benchmarks/http/built-package.ts';
import { runChild } from '../run-child.ts';

/**
 * Objects that are made alike have one shape, by which V8 finds their members. An object that begins with what is spread
 * into it and goes on with members of its own (`{ ...a, b }`) gets a shape to itself: that takes a microsecond or more,
 * and whoever looks at it next has to search (decision 0017). V8 tells of every shape that it makes; a longer run may
 * not make more of them than a shorter one, but for the few that come of optimizing.
 */
it('makes no shape of its own for each request', { timeout: 120_000 }, async () => {
  const [few, many] = [150, 450];
  const [before, after] = [await shapesOf(few), await shapesOf(many)];
  const grown = [...after]
    .map(([place, count]) => [place, count - (before.get(place) ?? 0)] as const)
    .filter(([, more]) => more >= (many - few) / 3);
  expect(grown).toEqual([]);
});

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stator-shapes-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** How many shapes were made, by the member that is new in them. */
async function shapesOf(requests: number): Promise<ReadonlyMap<string, number>> {
  const log = join(folder, `${requests}.log`);
  const flags = ['--log-maps', '--no-logfile-per-isolate', `--logfile=${log}`];
  const child = runChild(
    new URL('shapes-child.ts', import.meta.url),
    [buildPackage(), String(requests)],
    [],
    flags,
  );
  expect(await child.ended).toMatchObject({ code: 0 });
  const shapes = new Map<string, number>();
  for (const line of (await readFile(log, 'latin1')).split('\n')) {
    const [kind, event, , , , , , , , member] = line.split(',');
    // Symbols are members of Node's own objects, such as the signals that each copy of a database has.
    if (kind !== 'map' || event !== 'Transition' || member === undefined) continue;
    if (!member.startsWith('symbol(')) shapes.set(member, (shapes.get(member) ?? 0) + 1);
  }
  expect(shapes.size).toBeGreaterThan(100);
  return shapes;
}
