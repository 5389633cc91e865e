import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copyFiles } from './copy-files.ts';
import type { Copying } from './copy-table.ts';
import { sourcePlace } from './source-place.ts';

it('counts what an earlier run has read of a file as no work of this one', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'stator-copy-'));
  try {
    const text = Array.from({ length: 20 }, (_, i) => `{"Item":{"pk":{"S":"${i}"}}}\n`).join('');
    await writeFile(join(directory, 'rows.json'), text);
    const shown: string[] = [];
    const place = sourcePlace('rows.json', directory, { s3Endpoint: undefined, region: 'us-east-1' });
    const files = [{ key: 'rows.json', bytes: text.length, manifest: undefined }];
    let copied = 0;
    const settings = Object.fromEntries(
      Object.entries({
        compression: 'auto',
        format: 'auto',
        delimiter: ',',
        header: undefined,
        parallel: 4,
      }).map(([name, value]) => [name, { value }]),
    );
    await copyFiles(
      place,
      { files, items: undefined } as never,
      {
        settings,
        output: { progress: (line: string) => shown.push(line) },
        signal: new AbortController().signal,
        state: { counts: { read: 15, refused: 0, place: { file: { number: 0, line: 15 } } }, save() {} },
        copier: {
          copy(_: string, rows: readonly unknown[]) {
            copied += rows.length;
            return Promise.resolve();
          },
        },
        target: { keys: [] },
      } as unknown as Copying,
    );
    expect(copied).toBe(5);
    // The file came in one piece, all of which was read before the first new row was seen.
    expect(shown.at(-1)).toContain(`of ${text.length} bytes · 0/s ·`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
