import { describe, expect, it } from 'vitest';
import { type PublicExport, publicExports } from '../../scripts/api/public-exports.ts';
import { entries, isOperationType } from '../../scripts/api/reference.ts';
import { textOf } from './source-files.ts';

/** What programs can import is explained where they meet it: in the types, and in `docs/api`, which is made from them. */
const readSource = (path: string) => textOf(`src/${path}.ts`);
const wordless = (all: readonly PublicExport[]) =>
  all.filter((one) => one.words === '' && !isOperationType(one)).map(({ name, path }) => `${path}: ${name}`);

describe('public exports', () => {
  it.each(entries)('of $name have a doc comment each', ({ entry }) => {
    const all = publicExports(entry, readSource);
    expect(all.length).toBeGreaterThan(5);
    expect(wordless(all)).toEqual([]);
  });

  it('are found through files, under other names, and with their comments', () => {
    const files: Readonly<Record<string, string>> = {
      index:
        "export { one as first } from './a/one.ts';\nexport type * from './b.ts';\nexport { local } from './c.ts';",
      'a/one':
        '/** The first. */\nexport function one(): number;\nexport function one(): number {\n  return 1;\n}\n',
      b: '/** Ours. */\n\nexport interface Ours {}\n// No doc comment.\nexport type Bare = 1;\n',
      c: 'import { one } from "./a/one.ts";\n/** Kept here. */\nconst local = one;\nexport { local };\n',
    };
    const all = publicExports('index', (path) => files[path]!);
    expect(all.map(({ name, kind, words }) => [name, kind, words])).toEqual([
      ['Bare', 'type', ''],
      ['Ours', 'type', 'Ours.'],
      ['first', 'function', 'The first.'],
      ['local', 'value', 'Kept here.'],
    ]);
    expect(wordless(all)).toEqual(['b: Bare']);
  });
});
