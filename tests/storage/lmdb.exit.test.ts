import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts';
import { type Child, runChild } from '../run-child.ts';
import { bytes } from './bytes.ts';
import { newDirectory } from './directories.ts';

describe('an lmdb store whose process exits during a write', () => {
  let directory = '';
  let child: Child | undefined;
  afterEach(async () => {
    child?.process.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  /** In the turn of the write, the writer thread has not been started yet. */
  const endings = [
    ['exit in the turn of the write', { code: 3, signal: null, errors: '' }, 'exit 3'],
    ['exit while the writer waits', { code: null, signal: 'SIGKILL', errors: '' }, 'exit 3'],
    [
      'throw while the writer waits',
      {
        code: null,
        signal: 'SIGKILL',
        errors: expect.stringMatching(/^Uncaught Error: nobody catches this\n {4}at /),
      },
      'exit 1',
    ],
    [
      'exit for an error while the writer waits',
      { code: null, signal: 'SIGKILL', errors: 'handled: somebody catches this\n' },
      'exit 3',
    ],
  ] as const;
  it.each(endings)('ends (%s), and others can write', async (ending, how, said) => {
    directory = await newDirectory();
    const store = await openLmdbStore({ directory, shared: true });
    child = runChild(new URL('./children/exiting-writer.ts', import.meta.url), [directory, ending]);
    expect(await child.ended).toEqual(how);
    expect(child.lines).toEqual([said]);
    const found = await store.transact({
      reads: [bytes('answered'), bytes('unanswered')],
      decide: ({ values }) => ({
        result: values.map((value) => value !== undefined),
        mutations: [{ kind: 'put', key: bytes('next'), value: bytes('value') }],
      }),
    });
    expect(found).toEqual([true, false]);
    await store.close();
  });

  const asFirst = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const canBeFirst = spawnSync(asFirst[0]!, [...asFirst.slice(1), 'true']).status === 0;
  it.runIf(canBeFirst)('ends as the first process of a container, which cannot kill itself', async () => {
    directory = await newDirectory();
    const program = new URL('./children/exiting-writer.ts', import.meta.url);
    child = runChild(program, [directory, 'exit while the writer waits'], asFirst);
    expect(await child.ended).not.toMatchObject({ code: 3 });
    expect(child.lines).toEqual(['exit 3']);
  });
});
