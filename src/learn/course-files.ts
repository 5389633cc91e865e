import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Place } from './course.ts';

/** The texts of one exercise as the package ships them. */
export interface ExerciseFiles {
  readonly readme: string;
  /** From a nudge to all but the answer. */
  readonly hints: readonly string[];
  /** What the learner begins with, by name; computed files are among them. */
  readonly start: Readonly<Record<string, string>>;
  readonly solution: Readonly<Record<string, string>>;
}

/** The course lies beside the package's description, two levels up for the sources and for the build alike. */
const root = fileURLToPath(new URL('../../course/', import.meta.url));

export async function readExerciseFiles({ folder, exercise }: Place): Promise<ExerciseFiles> {
  const own = `${root}${folder}`;
  const [readme, hints, start, solution] = await Promise.all([
    readFile(`${own}/README.md`, 'utf8'),
    readFile(`${own}/hints.md`, 'utf8'),
    readAll(`${own}/start`),
    readAll(`${own}/solution`),
  ]);
  return {
    readme,
    hints: hints
      .split(/^## .*$/m)
      .slice(1)
      .map((hint) => hint.trim()),
    start: { ...start, ...(await exercise.generated?.()) },
    solution,
  };
}

/** The heading of a page. */
export function titleOf(page: string): string {
  return /^# (.*)$/m.exec(page)?.[1] ?? '';
}

/** Tells one edition of a file from another. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

async function readAll(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(`${folder}/${name}`, 'utf8')));
  return Object.fromEntries(names.map((name, at) => [name, texts[at]!]));
}
