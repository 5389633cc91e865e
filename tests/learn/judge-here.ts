import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Place } from '../../src/learn/course.ts';
import { readExerciseFiles } from '../../src/learn/course-files.ts';
import { type Attempt, judgeExercise } from '../../src/learn/judge-exercise.ts';

/** Judges files in this process: those of the exercise's start, with others in their place. */
export async function judgeHere(
  place: Place,
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<Attempt> {
  await mkdir(folder, { recursive: true });
  const { start } = await readExerciseFiles(place);
  for (const [name, text] of Object.entries({ ...start, ...files }))
    await writeFile(join(folder, name), text);
  return judgeExercise(place.exercise, {
    folder,
    // A path that was never loaded before, so that nothing comes from a cache.
    load: (path, version = 0) => import(/* @vite-ignore */ `${pathToFileURL(path).href}?v=${version}`),
  });
}
