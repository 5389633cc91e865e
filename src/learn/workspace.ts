import { access, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Place, places } from './course.ts';
import { digestOf, readExerciseFiles } from './course-files.ts';
import type { ExerciseProgress } from './progress.ts';

/** What was done to the files of an exercise. */
export interface Laid {
  readonly progress: ExerciseProgress;
  /** Copies of files that the learner had changed, from the exercise's folder. */
  readonly backups: readonly string[];
}

/** What became of the files of an exercise since they were laid. */
export interface Standing {
  /** The course has other texts now: the exercise was begun with another version of Stator. */
  readonly outdated: readonly string[];
  /** Files that the learner has changed. */
  readonly changed: readonly string[];
  readonly missing: readonly string[];
}

/**
 * Lays the files of an exercise into the learner's folder as the package ships them. A file that the learner has changed is
 * copied to a name beside it before.
 */
export async function layExercise(
  learnFolder: string,
  place: Place,
  before: ExerciseProgress | undefined,
): Promise<Laid> {
  const folder = join(learnFolder, place.folder);
  await mkdir(folder, { recursive: true });
  const files: Record<string, string> = {};
  const backups: string[] = [];
  for (const [name, text] of await filesOf(place)) {
    const path = join(folder, name);
    const there = await textAt(path);
    if (there !== undefined && there !== text && digestOf(there) !== before?.files[name])
      backups.push(await backUp(path));
    await writeFile(path, text);
    files[name] = digestOf(text);
  }
  const { attempts, hints } = before ?? {};
  return {
    progress: { files, ...(attempts !== undefined && { attempts }), ...(hints !== undefined && { hints }) },
    backups,
  };
}

/** Writes the files of an exercise that are missing, and touches no other. */
export async function layMissing(
  learnFolder: string,
  place: Place,
  before: ExerciseProgress,
): Promise<ExerciseProgress> {
  const folder = join(learnFolder, place.folder);
  await mkdir(folder, { recursive: true });
  const files: Record<string, string> = { ...before.files };
  for (const [name, text] of await filesOf(place)) {
    const path = join(folder, name);
    if (await isThere(path)) continue;
    await writeFile(path, text);
    files[name] = digestOf(text);
  }
  return { ...before, files };
}

export async function standingOf(
  learnFolder: string,
  place: Place,
  { files }: ExerciseProgress,
): Promise<Standing> {
  const outdated: string[] = [];
  const changed: string[] = [];
  const missing: string[] = [];
  for (const [name, text] of await filesOf(place)) {
    const there = await textAt(join(learnFolder, place.folder, name));
    if (there === undefined) missing.push(name);
    else if (digestOf(there) !== files[name]) changed.push(name);
    if (files[name] !== digestOf(text)) outdated.push(name);
  }
  return { outdated, changed, missing };
}

/**
 * The exercises whose files lie in a folder that has lost its progress file, as if they had been begun today. Nothing is
 * written: what the learner made of them stays.
 */
export async function exercisesIn(learnFolder: string): Promise<Readonly<Record<string, ExerciseProgress>>> {
  const found: Record<string, ExerciseProgress> = {};
  for (const place of places) {
    if (!(await isThere(join(learnFolder, place.folder)))) continue;
    const files = (await filesOf(place)).map(([name, text]) => [name, digestOf(text)] as const);
    found[place.exercise.id] = { files: Object.fromEntries(files) };
  }
  return found;
}

async function filesOf(place: Place): Promise<[string, string][]> {
  const { readme, start } = await readExerciseFiles(place);
  return [['README.md', readme], ...Object.entries(start)];
}

/** Copies a file to the first free name beside it. */
async function backUp(path: string): Promise<string> {
  for (let number = 1; ; number++) {
    const to = `${path}.${number}.bak`;
    if (await isThere(to)) continue;
    await copyFile(path, to);
    return to;
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function textAt(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The course that somebody in the directory `from` means: the nearest folder above it that holds the file `marker`, or that
 * has a folder `name` which does.
 */
export async function findLearnFolder(
  from: string,
  { marker, name }: { readonly marker: string; readonly name: string },
): Promise<string | undefined> {
  for (let folder = from; ; folder = dirname(folder)) {
    for (const near of [folder, join(folder, name)]) if (await isThere(join(near, marker))) return near;
    if (dirname(folder) === folder) return undefined;
  }
}
