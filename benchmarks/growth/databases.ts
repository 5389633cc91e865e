import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stator } from '../../src/stator.ts';
import { builtStator } from '../http/built-package.ts';
import { fillPlainly } from '../http/in-process.ts';
import { type Orders, tableDefinition } from '../http/items.ts';
import type { Options } from '../suite.ts';

/** A part of the suite works in a folder that goes with it. */
export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'stator-growth-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fills a database without a sync for every commit, and opens it again as users have it. */
export async function filledDatabase(
  directory: string | undefined,
  items: Pick<Orders, 'count' | 'item'>,
  definition: object = tableDefinition,
): Promise<Stator> {
  const { Stator: built } = await builtStator();
  const filling = await built.open(
    directory === undefined ? {} : { store: { directory, durability: 'relaxed' } },
  );
  try {
    await filling.createTable(definition as Parameters<Stator['createTable']>[0]);
    await fillPlainly(filling, items, 64);
  } catch (error) {
    await filling.close();
    throw error;
  }
  if (directory === undefined) return filling;
  await filling.close();
  return built.open({ store: { directory } });
}

export interface Pace {
  readonly seconds: number;
  readonly rounds: number;
}

export function paceOf({ small, seconds, rounds }: Options): Pace {
  return { seconds: seconds ?? (small ? 0.02 : 1), rounds: rounds ?? (small ? 1 : 5) };
}
