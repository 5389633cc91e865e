import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readExerciseFiles } from '../../learn/course-files.ts';
import type { Run } from '../command.ts';
import { Failure } from '../failure.ts';
import type { solutionOptions } from './learn-options.ts';
import { begunCourse, placeNamed, saveProgress, shownPath } from './own-course.ts';

/** Prints a solution, or writes it into another folder; never over the learner's files. */
export const solution: Run<typeof solutionOptions> = async (settings, { operand, directory, output }) => {
  const { folder, progress } = await begunCourse(directory, settings.dir.value);
  const place = placeNamed(operand, { directory, folder, progress });
  const { id } = place.exercise;
  const { solution: files } = await readExerciseFiles(place);
  const out = settings.out.value;
  if (out !== undefined) {
    await mkdir(out, { recursive: true });
    for (const [name, text] of Object.entries(files))
      await writeFile(join(out, name), text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
        throw new Failure(
          `${shownPath(directory, join(out, name))} is there already.`,
          'Name another folder.',
        );
      });
  }
  const own = progress.exercises[id];
  if (own !== undefined)
    await saveProgress(folder, {
      ...progress,
      exercises: { ...progress.exercises, [id]: { ...own, solutionShown: true } },
    });
  output.result('solution', { exercise: id, files, ...(out !== undefined && { out }) }, (style) =>
    out !== undefined
      ? `Written: ${Object.keys(files)
          .map((name) => shownPath(directory, join(out, name)))
          .join(', ')}`
      : Object.entries(files)
          .map(([name, text]) => `${style('bold', name)}\n\n${text.trimEnd()}\n`)
          .join('\n'),
  );
};
