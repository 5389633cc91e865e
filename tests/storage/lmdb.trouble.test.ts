import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { open } from 'lmdb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { compactLmdb } from '../../src/storage/lmdb/compact-file.ts';
import { firstFileName } from '../../src/storage/lmdb/current-file.ts';
import { verifyDataFile } from '../../src/storage/lmdb/data-file.ts';
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts';
import { signOfLifeIntervalMs } from '../../src/storage/lmdb/owners.ts';
import type { Store } from '../../src/storage/store.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { runChild } from '../run-child.ts';
import { rounds, seededRandom, testSeeds } from '../seeded-random.ts';
import { bytes, numberedKey, text } from './bytes.ts';
import { newDirectory } from './directories.ts';
import { checkLoad, nextVersion } from './load.ts';

describe('an lmdb store in trouble', () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function directory(): Promise<string> {
    const path = await newDirectory();
    cleanups.push(() => rm(path, { recursive: true, force: true }));
    return path;
  }

  async function openAt(path: string, shared = false): Promise<Store> {
    const store = await openLmdbStore({ directory: path, shared });
    cleanups.push(() => store.close());
    return store;
  }

  describe('on a disk that is full', () => {
    it('says so, loses nothing, and goes on once there is room', async () => {
      const child = runChild(
        new URL('./children/limited-writer.ts', import.meta.url),
        [await directory()],
        [
          // A limit on the size of files stands for a full disk: nobody needs to be root for it.
          'bash',
          '-c',
          'ulimit -S -f 4096 && exec "$@"',
          'limited',
        ],
      );
      const refused = await child.until((line) => line.startsWith('refused'));
      expect(refused).toMatch(/^refused (full|unavailable) .*(no room|file size limit)/);
      expect(await child.until((line) => line.startsWith('checked'))).toBe('checked after the refusal');
      execFileSync('prlimit', ['--pid', String(child.process.pid), '--fsize=unlimited']);
      child.process.kill('SIGUSR2');
      expect(await child.until((line) => line.startsWith('went on'))).toBe('went on and checked');
      expect((await child.ended).code).toBe(0);
    });

    it.runIf(process.getuid?.() === 0)('is told from other trouble by the room that is left', async () => {
      const path = await directory();
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', path]);
      cleanups.push(() => execFileSync('umount', [path]));
      const store = await openAt(path);
      let acknowledged = 0;
      const fill = (async () => {
        for (;;) acknowledged = await store.transact(nextVersion(0, 5_000));
      })();
      await expect(fill).rejects.toMatchObject({ name: 'StoreError', trouble: 'full' });
      await checkLoad(store, [acknowledged], 0);
      execFileSync('mount', ['-o', 'remount,size=20m', path]);
      expect(await store.transact(nextVersion(0, 5_000))).toBe(acknowledged + 1);
      await checkLoad(store, [acknowledged + 1], 0);
    });
  });

  describe('with a damaged file', () => {
    async function filled(): Promise<{ path: string; file: string }> {
      const path = await directory();
      const store = await openLmdbStore({ directory: path });
      for (let i = 0; i < 20; i++)
        await store.transact({
          reads: [],
          decide: () => ({
            result: undefined,
            mutations: Array.from({ length: 50 }, (_, j) => ({
              kind: 'put',
              key: numberedKey('k', i * 50 + j),
              value: bytes(`value ${i * 50 + j} ${'x'.repeat(j === 0 ? 20_000 : 200)}`),
            })),
          }),
        });
      await store.close();
      return { path, file: `${path}/${firstFileName}` };
    }

    it('refuses one that was cut short', async () => {
      const { path, file } = await filled();
      const { size } = statSync(file);
      const whole = `${path}/whole`;
      copyFileSync(file, whole);
      for (const length of [1, 100, 4_096, 8_192, 16_384, Math.floor(size / 2), size - 8_192 * 3]) {
        copyFileSync(whole, file);
        truncateSync(file, length);
        const error = await caught(() => openLmdbStore({ directory: path }));
        expect(error, `cut to ${length}`).toMatchObject({ name: 'StoreError', trouble: 'corrupt' });
        expect((error as Error).message).toContain(file);
        expect(statSync(file).size).toBe(length);
      }
      copyFileSync(whole, file);
      const store = await openAt(path);
      expect(text(await store.get(numberedKey('k', 999)))).toContain('value 999');
    });

    const seeds = testSeeds('bit flips');
    it.each(seeds)('answers a flipped bit with an error, never with a wrong value, %i', async (seed) => {
      const { path, file } = await filled();
      const whole = readFileSync(file);
      const random = seededRandom(seed);
      let [refused, failed, harmless] = [0, 0, 0];
      for (let round = 0; round < rounds(150); round++) {
        const copy = Buffer.from(whole);
        copy[random.below(copy.length)]! ^= 1 << random.below(8);
        const place = `${path}/flip${round % 2}`;
        mkdirSync(place, { recursive: true });
        writeFileSync(`${place}/${firstFileName}`, copy);
        const structure = await caught(() => verifyDataFile(`${place}/${firstFileName}`));
        if (structure !== undefined) {
          expect(structure).toMatchObject({ name: 'StoreError', trouble: 'corrupt' });
          refused++;
          continue;
        }
        const wrong = await readAll(place);
        if (wrong instanceof StoreError) failed++;
        else harmless++;
      }
      console.info(
        `bit flips: ${refused} refused by the walk, ${failed} errors on reading, ${harmless} in unused bytes`,
      );
      expect(refused + failed).toBeGreaterThan(0);
    });

    /** Reads every value; a value that is not what was written fails the test, an error is answered. */
    async function readAll(place: string): Promise<unknown> {
      let store: Store | undefined;
      try {
        store = await openLmdbStore({ directory: place });
        for (let i = 0; i < 1_000; i++) {
          const value = await store.get(numberedKey('k', i));
          // A flipped bit in a key can hide its entry from a lookup; the range below meets it.
          if (value !== undefined) expect(text(value)).toMatch(new RegExp(`^value ${i} x*$`));
        }
        const page = await store.range({ limit: 2_000 });
        for (const entry of page.entries) {
          expect(text(entry.value)).toBe(
            `value ${Number(text(entry.key)!.slice(1))} ${text(entry.value)!.split(' ')[2]}`,
          );
        }
        return undefined;
      } catch (error) {
        if (error instanceof StoreError) return error;
        throw error;
      } finally {
        await store?.close();
      }
    }

    it('refuses a file that is no database', async () => {
      const path = await directory();
      writeFileSync(`${path}/${firstFileName}`, 'This is a text about databases. '.repeat(1_000));
      expect(await caught(() => openLmdbStore({ directory: path }))).toMatchObject({ trouble: 'corrupt' });
    });

    it('opens one that was created and never written', async () => {
      const path = await directory();
      writeFileSync(`${path}/${firstFileName}`, '');
      expect(await (await openAt(path)).get(bytes('a'))).toBeUndefined();
    });
  });

  it.runIf(process.platform === 'linux')('refuses a place where no directory can be made', async () => {
    // Node tries for ever to make this one.
    await expect(openLmdbStore({ directory: '/proc/stator/data' })).rejects.toThrow(
      'The data directory /proc/stator/data cannot be used: ENOENT',
    );
  });

  it('makes the directories above its own', async () => {
    const store = await openAt(`${await directory()}/not/there/yet`);
    expect(await store.get(bytes('a'))).toBeUndefined();
  });

  it('refuses data of a format it does not know, and leaves it alone', async () => {
    const path = await directory();
    await (await openLmdbStore({ directory: path })).close();
    const raw = open({
      path: `${path}/${firstFileName}`,
      noSubdir: true,
      encoding: 'binary',
      keyEncoding: 'binary',
    });
    const meta = raw.openDB({ name: 'meta', encoding: 'binary', keyEncoding: 'binary' });
    await meta.put(Buffer.from('format'), Buffer.from('99'));
    await raw.close();
    const error = (await caught(() => openLmdbStore({ directory: path }))) as Error;
    expect(error).toMatchObject({ name: 'StoreError', trouble: 'format' });
    expect(error.message).toMatch(/format 99.*format 1/s);
  });

  it.each(['stator-v2.mdb', 'stator.v2.mdb'])(
    'refuses a directory with the file %s of a later version, and makes none beside it',
    async (name) => {
      const path = await directory();
      writeFileSync(`${path}/${name}`, 'data');
      const error = (await caught(() => openLmdbStore({ directory: path }))) as Error;
      expect(error).toMatchObject({ name: 'StoreError', trouble: 'format' });
      expect(error.message).toContain(`has the file ${name}, which this version of Stator does not know`);
      expect(existsSync(`${path}/${firstFileName}`)).toBe(false);
    },
  );

  describe('opened twice', () => {
    it('is refused to a second process, with that process told who has it', async () => {
      const path = await directory();
      const child = runChild(new URL('./children/holder.ts', import.meta.url), [path, 'alone']);
      await child.until((line) => line.startsWith('open'));
      const error = (await caught(() => openLmdbStore({ directory: path }))) as Error;
      expect(error).toMatchObject({ name: 'StoreError', trouble: 'in-use' });
      expect(error.message).toContain(`process ${child.process.pid}`);
      expect(await caught(() => openLmdbStore({ directory: path, shared: true }))).toMatchObject({
        trouble: 'in-use',
      });
      child.process.kill('SIGKILL');
      await child.ended;
      expect(await (await openAt(path)).get(bytes('a'))).toBeUndefined();
    });

    it('is free when its process was killed, also while nobody has taken notice of that', async () => {
      const path = await directory();
      // The parent becomes a program that never asks how its child ended, as the first process of a container may.
      const child = runChild(
        new URL('./children/holder.ts', import.meta.url),
        [path, 'alone'],
        ['sh', '-c', '"$@" & exec sleep 60', 'sh'],
      );
      try {
        const pid = Number((await child.until((line) => line.startsWith('open'))).split(' ')[1]);
        expect(await caught(() => openLmdbStore({ directory: path }))).toMatchObject({ trouble: 'in-use' });
        process.kill(pid, 'SIGKILL');
        await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /), {
          timeout: 60_000,
        });
        expect(await (await openAt(path)).get(bytes('a'))).toBeUndefined();
      } finally {
        child.process.kill('SIGKILL');
      }
    });

    it('is refused within one process', async () => {
      const path = await directory();
      await openAt(path);
      expect(((await caught(() => openLmdbStore({ directory: path }))) as Error).message).toContain(
        'already open in this process',
      );
    });

    it('is opened and closed for sharing while the same process writes', async () => {
      const path = await directory();
      const store = await openAt(path, true);
      let over = false;
      const writing = [0, 1, 2, 3].map(async (client) => {
        for (let version = 1; ; version++) {
          expect(await store.transact(nextVersion(client))).toBe(version);
          if (over) return version;
        }
      });
      for (let i = 0; i < rounds(20, 20); i++) {
        const other = await openLmdbStore({ directory: path, shared: true });
        await other.transact(nextVersion(4));
        await other.close();
      }
      over = true;
      await checkLoad(store, [...(await Promise.all(writing)), rounds(20, 20)], 0);
    });

    it('is shared between processes that both ask for it, and each sees what the other has acknowledged', async () => {
      const path = await directory();
      const store = await openAt(path, true);
      expect(store.exclusive).toBe(false);
      const children = [0, 1].map((client) =>
        runChild(new URL('./children/sharer.ts', import.meta.url), [path, String(client)]),
      );
      let seen = 0;
      await Promise.all(
        children.map(async (child, client) => {
          for (let step = 1; step <= 20; step++) {
            await child.until((line) => line === `wrote ${step}`);
            const value = text(await store.get(bytes(`left${client}`)));
            expect(Number.parseInt(value!, 10)).toBeGreaterThanOrEqual(step);
            await store.transact(nextVersion(2));
            seen++;
          }
          await child.ended;
        }),
      );
      expect(seen).toBe(40);
      await checkLoad(store, [20, 20, 40], 0);
    });
  });

  it('refuses writes while its directory is moved away, and goes on once it is back', async () => {
    const path = await directory();
    const store = await openAt(path);
    await store.transact(nextVersion(0));
    renameSync(path, `${path}-away`);
    cleanups.push(() => rm(`${path}-away`, { recursive: true, force: true }));
    const error = (await caught(() => store.transact(nextVersion(0)))) as Error;
    expect(error).toMatchObject({ name: 'StoreError', trouble: 'unavailable' });
    expect(error.message).toContain('was removed, moved or replaced while it was open');
    renameSync(`${path}-away`, path);
    expect(await store.transact(nextVersion(0))).toBe(2);
    await checkLoad(store, [2], 0);
  });

  it('refuses writes once its file was removed, and the signs of life do not end the process', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    cleanups.push(() => vi.useRealTimers());
    const path = await directory();
    const store = await openAt(path, true);
    await store.transact(nextVersion(0));
    rmSync(path, { recursive: true });
    vi.advanceTimersByTime(signOfLifeIntervalMs);
    expect(await caught(() => store.transact(nextVersion(0)))).toMatchObject({ trouble: 'unavailable' });
    // Another file under the old name is not the one that is open.
    mkdirSync(path);
    await openAt(path, true);
    expect(await caught(() => store.transact(nextVersion(0)))).toMatchObject({ trouble: 'unavailable' });
  });

  it('can be compacted', async () => {
    const path = await directory();
    const store = await openLmdbStore({ directory: path });
    const many = Array.from({ length: 2_000 }, (_, i) => numberedKey('k', i));
    await store.transact({
      reads: [],
      decide: () => ({
        result: undefined,
        mutations: many.map((key) => ({ kind: 'put', key, value: new Uint8Array(1_000) })),
      }),
    });
    await store.deleteRange(numberedKey('k', 10), numberedKey('k', 2_000));
    await store.close();
    const before = statSync(`${path}/${firstFileName}`).size;
    const { bytesBefore, bytesAfter } = await compactLmdb(path);
    expect(bytesBefore).toBe(before);
    expect(bytesAfter).toBeLessThan(before / 4);
    expect(readdirSync(path)).toEqual(['stator-2.mdb']);
    expect(statSync(`${path}/stator-2.mdb`).size).toBe(bytesAfter);
    const again = await openAt(path);
    expect((await again.range({ limit: 100 })).entries.length).toBe(10);
  });

  it('keeps the old file while somebody may be opening it', async () => {
    const path = await directory();
    await (await openAt(path)).close();
    // What a process leaves that is about to open the file it has just looked up.
    writeFileSync(`${path}/opening-1`, '');
    const compacted = compactLmdb(path);
    while (!existsSync(`${path}/stator-2.mdb`)) await sleep(5);
    await sleep(100);
    expect(existsSync(`${path}/${firstFileName}`)).toBe(true);
    rmSync(`${path}/opening-1`);
    await compacted;
    expect(readdirSync(path)).toEqual(['stator-2.mdb']);
  });

  it('loses nothing of those who open it while it is being compacted', async () => {
    const path = await directory();
    await (await openAt(path)).close();
    const compactions = rounds(6, 15);
    for (let i = 0; i < compactions; i++) {
      const opener = runChild(new URL('./children/eager-opener.ts', import.meta.url), [path, `key ${i}`]);
      await opener.until((line) => line === 'ready');
      const compactor = runChild(new URL('./children/compactor.ts', import.meta.url), [path]);
      for (const { ended } of [opener, compactor])
        expect(await ended).toEqual({ code: 0, signal: null, errors: '' });
    }
    const store = await openAt(path);
    expect((await store.range({ limit: 100 })).entries).toHaveLength(compactions);
  });
});

async function caught(act: () => unknown): Promise<unknown> {
  try {
    await act();
    return undefined;
  } catch (error) {
    return error;
  }
}
