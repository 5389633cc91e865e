import { readExerciseFiles } from '../../learn/course-files.ts';
import type { Run } from '../command.ts';
import { markdownText } from '../handbook/markdown-text.ts';
import type { hintOptions } from './learn-options.ts';
import { begunCourse, placeNamed, saveProgress } from './own-course.ts';

/** Shows the hints that were shown before and one more. */
export const hint: Run<typeof hintOptions> = async (settings, { operand, directory, output }) => {
  const { folder, progress } = await begunCourse(directory, settings.dir.value);
  const place = placeNamed(operand, { directory, folder, progress });
  const { id, topics } = place.exercise;
  const { hints } = await readExerciseFiles(place);
  const own = progress.exercises[id];
  const shown = settings.all.value ? hints.length : Math.min(hints.length, (own?.hints ?? 0) + 1);
  if (own !== undefined)
    await saveProgress(folder, {
      ...progress,
      exercises: { ...progress.exercises, [id]: { ...own, hints: shown } },
    });
  const fields = { exercise: id, hints: hints.slice(0, shown), of: hints.length, topics };
  const columns = Math.min(100, output.columns ?? 100);
  output.result('hint', fields, (style) => {
    const parts = hints
      .slice(0, shown)
      .map((text, at) =>
        [
          style('bold', `Hint ${at + 1} of ${hints.length}`),
          markdownText(text, { style, columns, folder: 'course' }),
          '',
        ].join('\n'),
      );
    const more =
      shown < hints.length
        ? 'Another one: stator learn hint'
        : `That was the last one. To read: ${topics.map((topic) => `stator help ${topic}`).join(', ')}; or stator learn solution`;
    return [...parts, style('dim', more)].join('\n');
  });
};
