import { readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts';
import { signOfLifeIntervalMs } from '../../src/storage/lmdb/owners.ts';
import type { Store } from '../../src/storage/store.ts';
import { runChild } from '../run-child.ts';
import { bytes, text } from './bytes.ts';
import { newDirectory } from './directories.ts';

describe('a shared lmdb store, one of whose processes was killed while its commit was being synced', () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    vi.useRealTimers();
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function place(): Promise<string> {
    const directory = await newDirectory();
    cleanups.push(() => rm(directory, { recursive: true, force: true }));
    return directory;
  }

  async function opened(directory: string): Promise<Store> {
    const store = await openLmdbStore({ directory, shared: true });
    cleanups.push(() => store.close());
    return store;
  }

  async function withLostCommit(directory: string): Promise<void> {
    const child = runChild(new URL('./children/dying-writer.ts', import.meta.url), [directory]);
    await child.until((line) => line === 'open');
    child.process.kill('SIGUSR2');
    expect((await child.ended).signal).toBe('SIGKILL');
  }

  it('shows the commit once it was finished, before any other write', async () => {
    const directory = await place();
    const store = await opened(directory);
    await withLostCommit(directory);
    // The state that this test is about: the commit is in the file, and no reader sees it.
    expect(store.get(bytes('late'))).toBeUndefined();
    await store.finishLostCommit!();
    expect(text(await store.get(bytes('late')))).toBe('here');
  });

  it('finishes the commit by itself, within a few seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const directory = await place();
    const store = await opened(directory);
    await withLostCommit(directory);
    expect(store.get(bytes('late'))).toBeUndefined();
    vi.advanceTimersByTime(signOfLifeIntervalMs);
    await vi.waitFor(async () => expect(text(await store.get(bytes('late')))).toBe('here'));
  });

  it('writes nothing while it finishes', async () => {
    const directory = await place();
    const store = await opened(directory);
    await withLostCommit(directory);
    await store.finishLostCommit!();
    const written = () =>
      readdirSync(directory)
        .filter((name) => name.endsWith('.mdb'))
        .map((name) => statSync(`${directory}/${name}`, { bigint: true }).mtimeNs);
    const before = written();
    for (let i = 0; i < 10; i++) await store.finishLostCommit!();
    expect(written()).toEqual(before);
  });
});

describe.runIf(process.platform === 'linux')('an lmdb store whose file grows', () => {
  it('keeps one map of it', async () => {
    const directory = await newDirectory();
    const child = runChild(new URL('./children/growing-writer.ts', import.meta.url), [directory]);
    try {
      expect(await child.until((line) => line.startsWith('maps'))).toBe('maps 1');
      expect((await child.ended).code).toBe(0);
    } finally {
      child.process.kill('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    }
  });

  it('opens where the address space is limited', async () => {
    const directory = await newDirectory();
    const child = runChild(
      new URL('./children/growing-writer.ts', import.meta.url),
      [directory],
      ['sh', '-c', 'ulimit -v 14000000; exec "$@"', 'sh'],
      // WebAssembly, which the loader of TypeScript needs, would want 10 GB of addresses for each memory.
      ['--disable-wasm-trap-handler'],
    );
    try {
      await child.until((line) => line.startsWith('maps'));
      expect((await child.ended).code).toBe(0);
    } finally {
      child.process.kill('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    }
  });
});
