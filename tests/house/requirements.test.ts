import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryFiles, root, textOf } from './source-files.ts';

/**
 * `docs/requirements.md` names for every requirement the code, test or page that meets it, or says plainly why nothing
 * does. The links of the page are followed by `links.test.ts`.
 */
const count = 381;
const page = textOf('docs/requirements.md');
const lines = [...page.matchAll(/^\| R(\d+) \| (.+?) \| (.+) \|$/gm)].map(([, id, , where]) => ({
  id: Number(id),
  where: where!,
}));
const paths = (where: string) =>
  [...where.matchAll(/`((?:src|tests|examples|docs|scripts|benchmarks|studio)\/[^`#]*)[^`]*`/g)].map(
    ([, path]) => path!,
  );
const files = repositoryFiles();
/** A `*` stands for any part of a path. */
const exists = (path: string) => {
  if (!path.includes('*')) return existsSync(join(root, path));
  const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}`);
  return files.some((file) => pattern.test(file));
};

describe('the requirements', () => {
  it('are all there, in their order', () => {
    expect(lines.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  });

  it('name what meets them, or say why nothing does', () => {
    const silent = lines.filter(
      ({ where }) => !where.startsWith('no: ') && !/\]\(/.test(where) && !/`[^`]+`/.test(where),
    );
    expect(silent).toEqual([]);
    expect(lines.filter(({ where }) => where === 'not yet')).toEqual([]);
  });

  it('name files that are there', () => {
    const lost = lines.flatMap(({ id, where }) => paths(where).map((path) => ({ id, path })));
    expect(lost.length).toBeGreaterThan(100);
    expect(lost.filter(({ path }) => !exists(path))).toEqual([]);
  });
});
