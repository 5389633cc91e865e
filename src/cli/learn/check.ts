import { watch } from 'node:fs';
import { join } from 'node:path';
import type { StepResult } from '../../learn/bench.ts';
import { type Place, places } from '../../learn/course.ts';
import { readExerciseFiles, titleOf } from '../../learn/course-files.ts';
import { readProgress } from '../../learn/progress.ts';
import { standingOf } from '../../learn/workspace.ts';
import { machine } from '../../runtime/machine/machine.ts';
import type { Cancel } from '../../runtime/virtual-timers.ts';
import type { Run } from '../command.ts';
import { Failure } from '../failure.ts';
import { wrapText } from '../handbook/wrap-text.ts';
import type { Output, Styler } from '../output.ts';
import { StopSignals } from '../stop-signals.ts';
import { judgeApart, type ToldAttempt } from './judge-apart.ts';
import type { checkOptions } from './learn-options.ts';
import { begunCourse, placeNamed, saveProgress, shownPath } from './own-course.ts';

/** Editors write a file in several steps; what follows within this time belongs together. */
const settleMs = 120;

interface Checking {
  readonly folder: string;
  readonly directory: string;
  readonly seconds: number;
  readonly output: Output;
  readonly signal?: AbortSignal;
}

/** Runs the learner's files and tells how they did. */
export const check: Run<typeof checkOptions> = async (settings, { operand, directory, output }) => {
  const { folder, progress } = await begunCourse(directory, settings.dir.value);
  const checking: Checking = { folder, directory, seconds: settings.seconds.value, output };
  if (settings.all.value) {
    const begun = places.filter(({ exercise }) => progress.exercises[exercise.id] !== undefined);
    let passed = 0;
    for (const place of begun) if (await checkOne(place, checking)) passed++;
    output.result('checked all', { passed, of: begun.length }, () => `${passed} of ${begun.length} passed`);
    if (passed < begun.length) process.exitCode = 1;
    return;
  }
  const place = placeNamed(operand, { directory, folder, progress });
  if (progress.exercises[place.exercise.id] === undefined)
    throw new Failure(
      `${place.number} ${place.exercise.id} has not been begun.`,
      `Begin it with stator learn next ${place.exercise.id}.`,
    );
  if (settings.watch.value) return watchOne(place, checking);
  if (!(await checkOne(place, checking))) process.exitCode = 1;
};

async function checkOne(place: Place, checking: Checking): Promise<boolean> {
  const { folder, directory, seconds, output, signal } = checking;
  const { id } = place.exercise;
  const path = join(folder, place.folder);
  const before = (await readProgress(folder))!;
  const own = before.exercises[id]!;
  const { outdated, missing } = await standingOf(folder, place, own);
  if (missing.length > 0)
    throw new Failure(
      `${missing.map((name) => shownPath(directory, join(path, name))).join(', ')} is missing.`,
      `stator learn next ${id} writes what is missing again, and leaves your files alone.`,
    );
  if (outdated.length > 0)
    throw new Failure(
      `${place.number} ${id} was begun with another version of Stator (${before.stator}); ${outdated.join(', ')} has changed since.`,
      `stator learn reset ${id} writes the new files, and keeps yours beside them as .bak.`,
    );
  const title = titleOf((await readExerciseFiles(place)).readme);
  const attempt = await judgeApart(place, { folder: path, seconds, signal });
  if (signal?.aborted) return false;
  const now = (await readProgress(folder)) ?? before;
  const { passedAt = attempt.passed ? machine.now().toISOString() : undefined } = own;
  await saveProgress(folder, {
    ...now,
    current: id,
    exercises: {
      ...now.exercises,
      [id]: { ...now.exercises[id]!, attempts: (own.attempts ?? 0) + 1, ...(passedAt && { passedAt }) },
    },
  });
  output.result('checked', { exercise: id, number: place.number, ...attempt }, (style) =>
    attemptText(place, { title, attempt, style, columns: Math.min(100, output.columns ?? 100) }),
  );
  return attempt.passed;
}

async function watchOne(place: Place, checking: Checking): Promise<void> {
  const { folder, directory, output } = checking;
  const path = join(folder, place.folder);
  const signals = new StopSignals();
  const signal = signals.asked;
  let running = false;
  let again = false;
  const run = async () => {
    if (running) {
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      try {
        await checkOne(place, { ...checking, signal });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        output.failure(error);
      }
    } while (again && !signal.aborted);
    running = false;
    if (!signal.aborted) output.log('info', `Watching ${shownPath(directory, path)}; Ctrl-C ends it.`);
  };
  let cancel: Cancel | undefined;
  const watcher = watch(path, (_event, name) => {
    if (name === null || !place.exercise.files.includes(name)) return;
    cancel?.();
    cancel = machine.timer(settleMs, () => void run());
  });
  await run();
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  cancel?.();
  watcher.close();
  signals.release();
}

interface Told {
  readonly title: string;
  readonly attempt: ToldAttempt;
  readonly style: Styler;
  readonly columns: number;
}

function attemptText(place: Place, { title, attempt, style, columns }: Told): string {
  const lines = [`${style('bold', `${place.number} ${title}`)}  ${style('dim', place.exercise.id)}`, ''];
  for (const step of attempt.steps) lines.push(...stepLines(step, style, columns));
  if (attempt.printed.trim() !== '')
    lines.push('', style('bold', 'Your code printed'), attempt.printed.trimEnd());
  lines.push(
    '',
    attempt.passed
      ? `${style('green', 'Passed.')} Go on: stator learn next`
      : `${style('yellow', 'Not yet.')} Change ${place.exercise.files.join(', ')} and check again; stator learn hint helps.`,
  );
  return lines.join('\n');
}

function stepLines(step: StepResult, style: Styler, columns: number): string[] {
  if (step.passed) {
    const note = step.note === undefined ? '' : `  ${style('dim', step.note)}`;
    return [`  ${style('green', '✓')} ${step.title}${note}`];
  }
  const margin = '      ';
  const lines = [`  ${style('red', '✗')} ${style('bold', step.title)}`, ''];
  for (const part of (step.saw ?? '').split('\n')) lines.push(wrapText(part, columns, margin));
  if (step.rule !== undefined) lines.push('', wrapText(step.rule, columns, margin));
  if (step.topic !== undefined)
    lines.push('', `${margin}${style('dim', `To read: stator help ${step.topic}`)}`);
  return lines;
}
