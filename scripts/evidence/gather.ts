import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Marks, readMarks } from './read-marks.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The sources of the package, without the tests beside them, sorted by path. */
export function sourcePaths(): string[] {
  return readdirSync(`${root}/src`, { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(path))
    .sort();
}

export function sourceText(path: string): string {
  return readFileSync(`${root}/${path}`, 'utf8');
}

/** The marks of all sources. */
export function gatherMarks(): Marks {
  const read = sourcePaths().map((path) => readMarks(path, sourceText(path)));
  return {
    statements: read.flatMap(({ statements }) => statements),
    faults: read.flatMap(({ faults }) => faults),
  };
}
