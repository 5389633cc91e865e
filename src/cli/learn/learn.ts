import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chapters, findPlace, type Place, places } from '../../learn/course.ts';
import { readExerciseFiles, titleOf } from '../../learn/course-files.ts';
import type { Progress } from '../../learn/progress.ts';
import { quizzes } from '../../learn/quizzes/quizzes.ts';
import { exercisesIn } from '../../learn/workspace.ts';
import type { Run } from '../command.ts';
import { Failure } from '../failure.ts';
import type { Styler } from '../output.ts';
import { beginExercise } from './begin-exercise.ts';
import type { learnOptions } from './learn-options.ts';
import { firstProgress, ownCourse, saveProgress, shownPath } from './own-course.ts';

/** Tells where somebody is, or begins the course. */
export const learn: Run<typeof learnOptions> = async (settings, context) => {
  const { directory, output } = context;
  const { folder, progress } = await ownCourse(directory, settings.dir.value);
  if (progress === undefined) return begin(folder, context);
  const titles = new Map<Place, string>();
  for (const place of places) titles.set(place, titleOf((await readExerciseFiles(place)).readme));
  const current = findPlace(progress.current) ?? places[0]!;
  const passed = places.filter((place) => isPassed(progress, place)).length;
  output.result(
    'progress',
    {
      folder,
      current: current.exercise.id,
      passed,
      of: places.length,
      exercises: places.map((place) => ({
        exercise: place.exercise.id,
        number: place.number,
        chapter: place.chapter.id,
        title: titles.get(place),
        begun: progress.exercises[place.exercise.id] !== undefined,
        passed: isPassed(progress, place),
      })),
      quizzes: progress.quizzes,
    },
    (style) =>
      progressText({ progress, titles, current, passed, folder: shownPath(directory, folder), style }),
  );
};

async function begin(folder: string, context: Parameters<Run<typeof learnOptions>>[1]): Promise<void> {
  const { directory, output } = context;
  const there = await readdir(folder).catch(() => []);
  if (there.some((name) => places.some((place) => place.folder.startsWith(`${name}/`))))
    return takeOver(folder, context);
  if (there.length > 0)
    throw new Failure(
      `${shownPath(directory, folder)} is there already and holds no course.`,
      'Name a folder that is empty or does not exist with --dir.',
    );
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'README.md'), welcome);
  if (!output.isJson)
    output.page((style) =>
      [
        `${style('bold', 'Welcome to the course.')} ${places.length} exercises in ${chapters.length} chapters, about twenty hours with the reading.`,
        `It lies in ${shownPath(directory, folder)}. Each exercise is a folder there: read its README.md, change one file, check it.`,
        'Where Stator is installed in a project only, write npx stator for stator.',
        '',
      ].join('\n'),
    );
  await beginExercise(places[0]!, { directory, folder, progress: firstProgress(), output });
}

/** A course whose progress file is gone: its exercises count as begun, and none as passed. */
async function takeOver(folder: string, { directory, output }: Parameters<typeof begin>[1]): Promise<void> {
  const exercises = await exercisesIn(folder);
  const last = places.findLast(({ exercise }) => exercises[exercise.id] !== undefined) ?? places[0]!;
  await saveProgress(folder, { ...firstProgress(), current: last.exercise.id, exercises });
  const begun = Object.keys(exercises);
  output.result('took over', { folder, begun, current: last.exercise.id }, (style) =>
    [
      `${style('bold', shownPath(directory, folder))} holds ${begun.length} exercises and no record of what passed. Your files are as they were.`,
      'Check them all with stator learn check --all.',
    ].join('\n'),
  );
}

function isPassed({ exercises }: Progress, { exercise }: Place): boolean {
  return exercises[exercise.id]?.passedAt !== undefined;
}

function progressText(told: {
  progress: Progress;
  titles: ReadonlyMap<Place, string>;
  current: Place;
  passed: number;
  folder: string;
  style: Styler;
}): string {
  const { progress, titles, current, passed, folder, style } = told;
  const lines = [
    `${style('bold', `${passed} of ${places.length} exercises passed`)} in ${folder === '.' ? 'this folder' : folder}`,
  ];
  for (const chapter of chapters) {
    const own = places.filter((place) => place.chapter === chapter);
    lines.push('', style('bold', `${own[0]!.number.split('.')[0]} ${chapter.title}`));
    for (const place of own) {
      const done = isPassed(progress, place);
      const mark = done ? style('green', '✓') : place === current ? style('yellow', '→') : '·';
      const title = titles.get(place) ?? '';
      lines.push(`  ${mark} ${place.number}  ${title.padEnd(44)} ${style('dim', place.exercise.id)}`);
    }
  }
  lines.push('', style('bold', 'Quizzes'));
  for (const { id, title } of quizzes) {
    const done = progress.quizzes[id];
    const score = done === undefined ? '' : `${done.right} of ${done.of}`;
    lines.push(
      `  ${done === undefined ? '·' : style('green', '✓')} ${title.padEnd(49)} ${style('dim', id)} ${score}`,
    );
  }
  const todo =
    passed === places.length
      ? 'All exercises have passed. The quizzes: stator learn quiz'
      : isPassed(progress, current)
        ? `${current.number} has passed. Go on: stator learn next`
        : `Next: ${current.number} in ${join(folder, current.folder)}; then stator learn check`;
  return [...lines, '', todo].join('\n');
}

const welcome = `# The course of Stator

Each folder here is an exercise: a README.md that says what to do, and a file to change. The check runs your file on a whole
DynamoDB in memory, with AWS's throttling and prices, and tells what it read and what it cost.

Where Stator is installed in a project only, write \`npx stator\` for \`stator\`.

| command | what it does |
| --- | --- |
| \`stator learn\` | where you are; from any folder of the project |
| \`stator learn check --watch\` | checks the exercise under way at each save |
| \`stator learn hint\` | one more hint |
| \`stator learn next\` | the next exercise |
| \`stator learn solution\` | a solution that passes |
| \`stator learn reset\` | the files as they began; yours are kept beside them |
| \`stator learn quiz\` | questions with answers |
| \`stator help <topic>\` | the page of the handbook behind an exercise |

Your code gets a \`db\` with the operations on items. \`db.query({ … })\` takes the very request that the SDK's QueryCommand takes,
with typed values: \`{ S: 'text' }\`, \`{ N: '12' }\`. What you write here works at AWS.

\`stator-learn.json\` holds your progress.
`;
