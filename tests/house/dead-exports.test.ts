import { describe, expect, it } from 'vitest';
import { deadExports } from './dead-exports.ts';
import { repositoryFiles, textOf } from './source-files.ts';

/** What the package exports: each of these files is a surface for users. */
const surfaces = Object.values(
  (
    JSON.parse(textOf('package.json')) as {
      exports: Record<string, { require?: { default: string } } | string>;
    }
  ).exports,
).flatMap((one) =>
  typeof one === 'string' ? [] : [one.require!.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
);

const files = repositoryFiles()
  .filter((path) => /\.[jt]sx?$/.test(path))
  .map((path) => ({ path, text: textOf(path) }));

describe('exports', () => {
  it('are taken by another file, or stand on a surface of the package', () => {
    const dead = deadExports(files, new Set(surfaces));
    expect(dead.filter((one) => /^(src|studio)\//.test(one) && !/\.fixture\.ts /.test(one))).toEqual([]);
    expect(surfaces).toContain('src/index.ts');
  });

  it('are found dead in every form', () => {
    const planted = [
      'export function unused() {}',
      'export const taken = 1;',
      'export async function* stream() {}',
      'export interface Lonely {}',
      'export interface Options {}',
      'export class Kept {',
      '  constructor(options: Options) {}',
      '}',
      'const inner = 1;',
      'export { inner as outer, inner as other };',
      'export default inner;',
    ].join('\n');
    const taker = [
      "import main, { taken, type Kept } from '../a/planted.ts';",
      "export { other } from '../a/planted.ts';",
      "// import { unused } from '../a/planted.ts';",
    ].join('\n');
    const found = (text: string, path = 'src/b/taker.ts') =>
      deadExports(
        [
          { path: 'src/a/planted.ts', text: planted },
          { path, text },
        ],
        new Set([path]),
      );
    expect(found(taker)).toEqual(
      ['unused', 'stream', 'Lonely', 'outer'].map((name) => `src/a/planted.ts ${name}`),
    );
    expect(found("const all = await import('../a/planted.ts');")).toEqual([]);
    expect(found("export * from '../a/planted.ts';")).toEqual([]);
    expect(found('')).toHaveLength(8);
    const own = [{ path: 'src/a/planted.ts', text: planted }];
    expect(deadExports(own, new Set(['src/a/planted.ts']))).toEqual([]);
  });
});
