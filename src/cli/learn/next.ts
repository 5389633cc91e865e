import { findPlace, places } from '../../learn/course.ts';
import type { Run } from '../command.ts';
import { Failure } from '../failure.ts';
import { beginExercise } from './begin-exercise.ts';
import type { nextOptions } from './learn-options.ts';
import { begunCourse, placeNamed } from './own-course.ts';

/** Goes on to the next exercise that has not passed, or to the one named. */
export const next: Run<typeof nextOptions> = async (settings, { operand, directory, output }) => {
  const { folder, progress } = await begunCourse(directory, settings.dir.value);
  const isPassed = (id: string) => progress.exercises[id]?.passedAt !== undefined;
  const begin = (place: (typeof places)[number]) =>
    beginExercise(place, { directory, folder, progress, output });
  if (operand !== undefined) return begin(placeNamed(operand, { directory, folder, progress }));
  const current = findPlace(progress.current) ?? places[0]!;
  if (!isPassed(current.exercise.id) && !settings.force.value)
    throw new Failure(
      `${current.number} ${current.exercise.id} has not passed yet.`,
      'Check it with stator learn check, or go on all the same with stator learn next --force.',
    );
  const after = places.slice(places.indexOf(current) + 1);
  const following =
    after.find(({ exercise }) => !isPassed(exercise.id)) ??
    places.find((place) => place !== current && !isPassed(place.exercise.id));
  if (following !== undefined) return begin(following);
  output.result('finished', { passed: places.length }, (style) =>
    [
      style('green', `All ${places.length} exercises have passed.`),
      'The quizzes are stator learn quiz; your own tables are stator design.',
    ].join('\n'),
  );
};
