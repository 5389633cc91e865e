import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configuredActions } from '../../src/alarm-actions.ts';
import { ScanFile } from '../../src/cli/scan/scan-file.ts';
import { ImportState } from '../../src/cli/transfer/import-state.ts';
import { writeWholeFiles } from '../../src/cli/write-output.ts';
import { isOpenToOthers, privateWriteStream } from '../../src/files/private-files.ts';
import { FileDeliverer } from '../../src/kinesis/file-deliverer.ts';
import { FolderObjects } from '../../src/objects/folder-objects.ts';
import { compactLmdb } from '../../src/storage/lmdb/compact-file.ts';
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts';
import { newDirectory } from './directories.ts';

/** Whoever has the widest umask needs it most: nothing that the umask lets through may reach a file. */
describe.runIf(process.platform !== 'win32')('files that may hold what users store', () => {
  let directory: string;
  let umask: number;

  beforeAll(async () => {
    directory = await newDirectory();
    umask = process.umask(0);
  });

  afterAll(async () => {
    process.umask(umask);
    await rm(directory, { recursive: true, force: true });
  });

  /** The modes of all that was created, as `path: mode`, where they are not those of private files. */
  async function open(): Promise<string[]> {
    const found: string[] = [];
    let count = 0;
    for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const mode = (await stat(path)).mode & 0o777;
      count++;
      if (mode !== (entry.isDirectory() ? 0o700 : 0o600) && entry.name !== 'given')
        found.push(`${path}: ${mode.toString(8)}`);
    }
    expect(count).toBeGreaterThan(0);
    return found;
  }

  it('of a data directory, while it is open and after it was compacted', async () => {
    const data = join(directory, 'new/data');
    const store = await openLmdbStore({ directory: data });
    expect(await open()).toEqual([]);
    await store.close();
    await compactLmdb(data);
    expect(await readdir(data)).toContain('stator-2.mdb');
    expect(await open()).toEqual([]);
  });

  it('of deliveries, exports, alarms, recordings, reports, scans and imports', async () => {
    const deliverer = new FileDeliverer(join(directory, 'kinesis/deep'));
    const arn = 'arn:aws:kinesis:us-east-1:000000000000:stream/orders';
    await deliverer.check(arn);
    await mkdir(join(directory, 'bucket'), 0o700);
    const { signal } = new AbortController();
    await new FolderObjects(directory).write('bucket', 'a/b/c.json', Buffer.from('{}'), signal);
    const actions = configuredActions({ note: { file: join(directory, 'alarms.jsonl') } });
    expect(await actions.run('note', { alarm: 'x' } as never)).toBeUndefined();
    const recording = privateWriteStream(join(directory, 'traffic.jsonl'), 'wx');
    await new Promise<void>((resolve) => recording.end('line\n', () => resolve()));
    writeWholeFiles(new Map([[join(directory, 'reports/deep/report.json'), '{}']]), 'private');
    const scan = new ScanFile(join(directory, 'scan.jsonl'), {}, 1, { overwrite: false, restart: false });
    scan.save();
    const state = new ImportState(
      join(directory, 'import.json'),
      join(directory, 'import.errors.jsonl'),
      {},
      false,
    );
    const refused = [{ source: 'a', error: 'b' }];
    state.add({}, { read: 1, written: 0, refused, anonymised: undefined });
    state.keep();
    expect(await open()).toEqual([]);
  });

  it('are never named to callers of the API, with the path that they have on the server', async () => {
    await mkdir(join(directory, 'bucket'), { mode: 0o700, recursive: true });
    const { signal } = new AbortController();
    const key = `${'long'.repeat(100)}.json`;
    const failed = new FolderObjects(directory).write('bucket', key, Buffer.from('{}'), signal);
    await expect(failed).rejects.toMatchObject({
      code: 'S3Error',
      message: `"${key}": name too long (ENAMETOOLONG)`,
    });
    const actions = configuredActions({ note: { file: join(directory, 'bucket') } });
    expect(await actions.run('note', { alarm: 'x' } as never)).toBe(
      'the file could not be written: illegal operation on a directory (EISDIR)',
    );
  });

  it('follow the umask where they are made to be shared', async () => {
    const path = join(directory, 'shared');
    writeWholeFiles(new Map([[path, 'a model\n']]), 'shared');
    expect((await stat(path)).mode & 0o777).toBe(0o666);
    await rm(path);
  });

  it('lie in a directory that is left as it was given, and whose openness is seen', async () => {
    const given = join(directory, 'given');
    await mkdir(given, 0o755);
    expect(isOpenToOthers(given)).toBe(true);
    await (await openLmdbStore({ directory: given })).close();
    expect((await stat(given)).mode & 0o777).toBe(0o755);
    expect(await open()).toEqual([]);
    await writeFile(join(directory, 'other'), '', { mode: 0o600 });
    expect(isOpenToOthers(join(directory, 'kinesis'))).toBe(false);
    expect(isOpenToOthers(join(directory, 'nowhere'))).toBe(false);
  });
});
