import { describe, expect, it } from 'vitest';
import { filesUnder, isOfTests, textOf } from './source-files.ts';

/**
 * Whatever `src/` creates goes through `src/files/private-files.ts`, which its owner alone may read, or through
 * `src/files/shared-files.ts`. A file that imports something of Node's that can create a file is listed here, with the reason.
 */
const exceptions: Readonly<Record<string, string>> = {
  'src/files/private-files.ts': 'the place itself',
  'src/files/shared-files.ts': 'the place of files that are made to be shared',
  'src/objects/folder-objects.ts': 'opens to read, without following links',
  'src/wire/credentials-file.ts': 'opens to read, without waiting for a pipe',
  'src/objects/bucket-owners.ts': 'gives a private file its name by a link, which only one process can',
  'src/storage/lmdb/data-file.ts': 'opens to read',
  'src/storage/lmdb/lmdb-environment.ts':
    'opens a directory to sync it; LMDB creates its files with the mode for private ones',
  'src/storage/lmdb/compact-file.ts': 'opens a file that exists, to sync it',
  'src/learn/progress.ts': 'the course is files of the learner',
  'src/learn/workspace.ts': 'the course is files of the learner',
  'src/cli/learn/learn.ts': 'the course is files of the learner',
  'src/cli/learn/solution.ts': 'the course is files of the learner',
};

const creates =
  /^(?:mkdir|mkdtemp|writeFile|appendFile|copyFile|cp|open|symlink|link)(?:Sync)?$|^createWriteStream$/;
const imports = /import\s+(?:type\s+)?([^;]*?)\s+from '(?:node:)?fs(?:\/promises)?'/g;

function creators(text: string): string[] {
  return [...text.matchAll(imports)].flatMap(([statement, names]) => {
    if (statement.startsWith('import type')) return [];
    // All of the module may create whatever it likes.
    if (!names!.startsWith('{')) return [names!];
    const single = names!.replaceAll(/[{}\s]/g, ' ').split(',');
    return single.map((name) => name.trim().split(' as ')[0]!).filter((name) => creates.test(name));
  });
}

describe('files that are created', () => {
  const sources = filesUnder('src').filter((path) => path.endsWith('.ts') && !isOfTests(path));

  it('are created in one place, which gives them to their owner alone', () => {
    const found = sources.filter((path) => creators(textOf(path)).length > 0);
    expect(found.sort()).toEqual(Object.keys(exceptions).sort());
  });

  it('are found however they are imported', () => {
    expect(creators("import { mkdir as make, stat } from 'node:fs/promises';")).toEqual(['mkdir']);
    expect(creators("import fs from 'node:fs';")).toEqual(['fs']);
    expect(creators("import * as fs from 'fs';")).toEqual(['* as fs']);
    expect(creators("import type { open } from 'node:fs';\nimport { stat } from 'node:fs';")).toEqual([]);
    expect(sources.filter((path) => /(?:require|import)\('(?:node:)?fs/.test(textOf(path)))).toEqual([]);
  });
});
