import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readImports } from '../house/read-imports.ts';

/**
 * The test files of a project, from its root, that take a seed themselves or through a module of its tests. The tests
 * of the house and of this tool speak of seeds without taking any, and are left out.
 */
export function seededTestFiles(root: string): string[] {
  const known = new Map<string, boolean>();
  const takesSeed = (path: string): boolean => {
    const answer = known.get(path);
    if (answer !== undefined) return answer;
    known.set(path, false);
    // An import within a string of a test leads nowhere.
    if (!existsSync(path)) return false;
    const text = readFileSync(path, 'utf8');
    const takes =
      /\b(?:testSeeds?|assertProperty)\(/.test(text) ||
      readImports(path, text).some(
        ({ specifier, typeOnly }) =>
          !typeOnly && isOfTests(specifier) && takesSeed(resolve(dirname(path), specifier)),
      );
    known.set(path, takes);
    return takes;
  };
  return ['src', 'tests']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => filesUnder(root, folder))
    .filter(
      (file) =>
        /\.(?:test|planted)\.ts$/.test(file) &&
        !/^tests\/(?:house|explore)\//.test(file) &&
        takesSeed(join(root, file)),
    )
    .sort();
}

/** Modules of the product take no seeds from tests; a step to one ends the search. */
function isOfTests(specifier: string): boolean {
  return specifier.startsWith('.') && specifier.endsWith('.ts') && !definesSeeds.test(specifier);
}

/** These define what the others call. */
const definesSeeds = /(?:\/src\/|\/seeded-random\.ts$|\/assert-property\.ts$)/;

function filesUnder(root: string, folder: string): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, '/').length))
    .map((path) => path.replaceAll('\\', '/'));
}
