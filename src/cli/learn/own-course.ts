import { basename, dirname, join, relative, resolve } from 'node:path';
import { findPlace, type Place, places } from '../../learn/course.ts';
import {
  newProgress,
  type Progress,
  ProgressError,
  progressFile,
  readProgress,
  writeProgress,
} from '../../learn/progress.ts';
import { findLearnFolder } from '../../learn/workspace.ts';
import { nearest } from '../../model/nearest.ts';
import { Failure, UsageError } from '../failure.ts';
import { packageVersion } from '../version.ts';

const defaultFolder = 'stator-learn';

/** Where a learner's course lies and how far it is; without progress it has not been begun. */
export interface OwnCourse {
  readonly folder: string;
  readonly progress: Progress | undefined;
}

/** Finds the course: the folder given, the one that this directory is in, or `stator-learn` in it or in one above it. */
export async function ownCourse(directory: string, dir: string | undefined): Promise<OwnCourse> {
  const around =
    dir === undefined
      ? await findLearnFolder(directory, { marker: progressFile, name: defaultFolder })
      : undefined;
  const folder = dir ?? around ?? join(directory, defaultFolder);
  try {
    return { folder, progress: await readProgress(folder) };
  } catch (error) {
    if (error instanceof ProgressError) throw new Failure(error.message, error.advice, error);
    throw error;
  }
}

/** The same, of a course that must have been begun. */
export async function begunCourse(
  directory: string,
  dir: string | undefined,
): Promise<{ readonly folder: string; readonly progress: Progress }> {
  const { folder, progress } = await ownCourse(directory, dir);
  if (progress === undefined)
    throw new Failure(
      `There is no course in ${shownPath(directory, folder)}.`,
      'Begin one with stator learn, or name its folder with --dir.',
    );
  return { folder, progress };
}

/** The exercise that a word names; without a word, the one of this directory or the one under way. */
export function placeNamed(
  word: string | undefined,
  { directory, folder, progress }: { directory: string; folder: string; progress: Progress },
): Place {
  if (word !== undefined) {
    const found = findPlace(word) ?? findPlace(placeWord(resolve(directory, word)));
    if (found !== undefined) return found;
    const meant = nearest(
      word,
      places.flatMap(({ exercise, number }) => [exercise.id, number]),
    );
    throw new UsageError(
      `There is no exercise ${JSON.stringify(word)}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
      'stator learn lists them.',
    );
  }
  // Whoever stands in the folder of an exercise means that one.
  const here = relative(folder, directory) === '' ? undefined : findPlace(placeWord(directory));
  return here ?? findPlace(progress.current) ?? places[0]!;
}

function placeWord(path: string): string {
  return `${basename(dirname(path))}/${basename(path)}`;
}

export async function saveProgress(folder: string, progress: Progress): Promise<void> {
  await writeProgress(folder, { ...progress, stator: packageVersion() });
}

export function firstProgress(): Progress {
  return newProgress(packageVersion(), places[0]!.exercise.id);
}

/** A path as somebody in `directory` would write it. */
export function shownPath(directory: string, path: string): string {
  const short = relative(directory, path);
  return short === '' ? '.' : short.startsWith('..') ? path : short;
}
