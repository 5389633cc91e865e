import { join } from 'node:path';
import type { Place } from '../../learn/course.ts';
import { readExerciseFiles, titleOf } from '../../learn/course-files.ts';
import type { Progress } from '../../learn/progress.ts';
import { layExercise, layMissing } from '../../learn/workspace.ts';
import { markdownText } from '../handbook/markdown-text.ts';
import type { Output } from '../output.ts';
import { saveProgress, shownPath } from './own-course.ts';

/**
 * Makes an exercise the one under way and tells its brief. Its files are laid if it has not been begun; one that was begun
 * keeps what is there, and gets back what is missing.
 */
export async function beginExercise(
  place: Place,
  {
    directory,
    folder,
    progress,
    output,
  }: { directory: string; folder: string; progress: Progress; output: Output },
): Promise<void> {
  const { id } = place.exercise;
  const before = progress.exercises[id];
  const laid = before === undefined ? await layExercise(folder, place, before) : undefined;
  const own = laid?.progress ?? (await layMissing(folder, place, before!));
  await saveProgress(folder, { ...progress, current: id, exercises: { ...progress.exercises, [id]: own } });
  for (const backup of laid?.backups ?? [])
    output.log('warning', `Your file was kept as ${shownPath(directory, backup)}.`);
  const { readme } = await readExerciseFiles(place);
  const path = join(folder, place.folder);
  output.result(
    'began',
    {
      exercise: id,
      number: place.number,
      title: titleOf(readme),
      folder: path,
      files: place.exercise.files,
      brief: readme,
      isNew: before === undefined,
    },
    (style) =>
      [
        `${style('dim', `${place.number} · ${place.chapter.title}`)}`,
        '',
        markdownText(readme, { style, columns: Math.min(100, output.columns ?? 100), folder: 'course' }),
        '',
        `${style('bold', 'Change')}  ${place.exercise.files.map((file) => join(shownPath(directory, path), file)).join(', ')}`,
        `${style('bold', 'Then')}    stator learn check     (--watch checks at each save; stator learn hint helps)`,
      ].join('\n'),
  );
}
