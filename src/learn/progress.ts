import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The file in the learner's folder that holds what was done. */
export const progressFile = 'stator-learn.json';

const format = 'stator-learn/1';

export interface ExerciseProgress {
  /** The digest of each file as it was written here, so that changes by the learner are seen. */
  readonly files: Readonly<Record<string, string>>;
  readonly passedAt?: string;
  /** How many hints were shown. */
  readonly hints?: number;
  readonly solutionShown?: boolean;
  readonly attempts?: number;
}

export interface QuizProgress {
  readonly right: number;
  readonly of: number;
  readonly at: string;
}

/** How far somebody is. */
export interface Progress {
  readonly format: typeof format;
  /** The version of Stator that wrote this last. */
  readonly stator: string;
  /** The exercise under way. */
  readonly current: string;
  readonly exercises: Readonly<Record<string, ExerciseProgress>>;
  readonly quizzes: Readonly<Record<string, QuizProgress>>;
}

/** A progress file that cannot be used, with what to do about it. */
export class ProgressError extends Error {
  readonly advice: string;

  constructor(message: string, advice: string) {
    super(message);
    this.advice = advice;
  }
}

export function newProgress(stator: string, current: string): Progress {
  return { format, stator, current, exercises: {}, quizzes: {} };
}

/** The progress in a folder; undefined if there is none. */
export async function readProgress(folder: string): Promise<Progress | undefined> {
  const path = join(folder, progressFile);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ProgressError(
      `${path} cannot be read: ${(error as Error).message}`,
      'Look at its permissions.',
    );
  }
  const given = parsed(text);
  if (given === undefined)
    throw new ProgressError(
      `${path} is damaged: it is not the JSON that stator learn wrote.`,
      `Delete it and run stator learn --dir ${folder}: your exercises stay, and stator learn check --all tells which of them pass.`,
    );
  const { format: found } = given;
  if (found !== format)
    throw new ProgressError(
      `${path} has the format ${JSON.stringify(found)}; this version of Stator knows ${format}.`,
      isNewer(found)
        ? 'A newer Stator wrote it: update Stator, or begin in another folder with --dir.'
        : `Delete it and run stator learn --dir ${folder}: your exercises stay, and stator learn check --all tells which of them pass.`,
    );
  return given as unknown as Progress;
}

/** Writes the progress so that an interrupted write leaves the old file. */
export async function writeProgress(folder: string, progress: Progress): Promise<void> {
  const path = join(folder, progressFile);
  await writeFile(`${path}.new`, `${JSON.stringify(progress, null, 2)}\n`);
  await rename(`${path}.new`, path);
}

function isNewer(found: unknown): boolean {
  const [, name, version] = /^(.*)\/(\d+)$/.exec(String(found)) ?? [];
  const [ownName, ownVersion] = format.split('/');
  return name === ownName && Number(version) > Number(ownVersion);
}

function areExercises(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every((one) => isRecord(one) && isRecord(one.files));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return undefined;
    const { exercises, current, quizzes } = value;
    const isWhole =
      !('format' in value) || value.format !== format
        ? 'format' in value
        : areExercises(exercises) && typeof current === 'string' && isRecord(quizzes);
    return isWhole ? value : undefined;
  } catch {
    return undefined;
  }
}
