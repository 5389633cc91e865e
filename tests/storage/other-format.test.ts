import { rm } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { recordKey } from '../../src/engine/store-keys.ts';
import { Stator } from '../../src/index.ts';
import { encodeUtf8 } from '../../src/model/values/utf8.ts';
import { openStore } from '../../src/open-store.ts';
import { allKeys } from '../engine/store-content.ts';
import { newDirectory } from './directories.ts';

const directories: string[] = [];

afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

it.each([
  [1, 'format 1): export its tables with that version'],
  [3, 'format 3, and this version of Stator reads format 2'],
])(
  'a store whose tables have format %i is refused at its opening, and stays as it is',
  async (format, text) => {
    const directory = await newDirectory();
    directories.push(directory);
    const open = () => openStore({ directory }, () => 0);
    const before = await open();
    await before.transact({
      reads: [],
      decide: () => ({
        result: undefined,
        mutations: [
          {
            kind: 'put',
            key: recordKey({ account: '000000000000', region: 'us-east-1' }, 'Orders'),
            value: encodeUtf8(JSON.stringify({ format })),
          },
        ],
      }),
    });
    const keys = await allKeys(before);
    await before.close();

    const error: unknown = await Stator.open({ store: { directory } }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'StoreError', trouble: 'format' });
    expect((error as Error).message).toContain(text);

    const after = await open();
    expect(await allKeys(after)).toEqual(keys);
    await after.close();
  },
);
