import { describe, expect, it } from 'vitest';
import { findCycle } from './find-cycle.ts';
import { readImports, targetOf } from './read-imports.ts';
import { repositoryFiles, textOf } from './source-files.ts';

/**
 * Files that import each other in a circle load in an order that depends on who came first, and one of them sees a
 * constant of another before it is set. Imports that TypeScript erases load nothing and do not count: an operation and
 * the file that writes its answer may know each other's types.
 */
const folders = ['src', 'studio', 'benchmarks', 'tests', 'examples'];

describe('files', () => {
  const files = repositoryFiles().filter(
    (path) => folders.some((folder) => path.startsWith(`${folder}/`)) && /\.tsx?$/.test(path),
  );
  const edges = new Map(files.map((path) => [path, loadedBy(path, textOf(path))]));

  it('are all looked at', () => {
    expect([...edges.values()].flat().length).toBeGreaterThan(1_000);
  });

  it('import each other in no cycle', () => {
    expect(findCycle(edges)).toBeUndefined();
  });
});

describe('a cycle', () => {
  const cycleOf = (sources: Readonly<Record<string, string>>) =>
    findCycle(new Map(Object.entries(sources).map(([path, text]) => [path, loadedBy(path, text)])));

  it('is found over several files and folders', () => {
    const found = cycleOf({
      'src/start.ts': "import './a.ts';",
      'src/a.ts': "import { b } from './deep/b.ts';",
      'src/deep/b.ts': "export { c } from '../c.ts';",
      'src/c.ts': "const a = await import('./a.ts');",
    });
    expect(found).toBe('src/a.ts > src/deep/b.ts > src/c.ts > src/a.ts');
  });

  it('is found where only inline types are named, since the import itself stays', () => {
    const sources = { 'a.ts': "import { b } from './b.ts';", 'b.ts': "import { type A } from './a.ts';" };
    expect(cycleOf(sources)).toBe('a.ts > b.ts > a.ts');
  });

  it('is none where one import is erased', () => {
    const sources = { 'a.ts': "import { b } from './b.ts';", 'b.ts': "import type { A } from './a.ts';" };
    expect(cycleOf(sources)).toBeUndefined();
  });
});

function loadedBy(path: string, text: string): string[] {
  return readImports(path, text)
    .filter(({ erased }) => !erased)
    .map(targetOf)
    .filter((target) => target !== undefined);
}
