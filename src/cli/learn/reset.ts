import { join } from 'node:path';
import { layExercise } from '../../learn/workspace.ts';
import type { Run } from '../command.ts';
import type { learnOptions } from './learn-options.ts';
import { begunCourse, placeNamed, saveProgress, shownPath } from './own-course.ts';

/** Puts the files of an exercise back as they began. What the learner wrote stays beside them. */
export const reset: Run<typeof learnOptions> = async (settings, { operand, directory, output }) => {
  const { folder, progress } = await begunCourse(directory, settings.dir.value);
  const place = placeNamed(operand, { directory, folder, progress });
  const { id } = place.exercise;
  const { progress: own, backups } = await layExercise(folder, place, progress.exercises[id]);
  await saveProgress(folder, {
    ...progress,
    current: id,
    exercises: { ...progress.exercises, [id]: own },
  });
  const kept = backups.map((path) => shownPath(directory, path));
  output.result('reset', { exercise: id, backups }, () =>
    [
      `${place.number} ${id} is as it began: ${shownPath(directory, join(folder, place.folder))}`,
      ...kept.map((path) => `Your file was kept as ${path}`),
    ].join('\n'),
  );
};
