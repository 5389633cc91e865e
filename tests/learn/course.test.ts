import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { topicNames } from '../../src/cli/handbook/handbook-pages.ts';
import { Bench } from '../../src/learn/bench.ts';
import { chapters, findPlace, places } from '../../src/learn/course.ts';
import { readExerciseFiles, titleOf } from '../../src/learn/course-files.ts';
import { evidenceOfFortyPercent } from '../../src/learn/exercises/forty-percent.ts';
import { choicesOf } from '../../src/learn/quizzes/quiz.ts';
import { quizzes } from '../../src/learn/quizzes/quizzes.ts';
import { root } from '../house/source-files.ts';

it('has seven chapters, each exercise with its folder and texts', async () => {
  expect(chapters).toHaveLength(7);
  const folders = readdirSync(join(root, 'course')).flatMap((chapter) =>
    readdirSync(join(root, 'course', chapter)).map((exercise) => `${chapter}/${exercise}`),
  );
  expect(folders.sort()).toEqual(places.map(({ folder }) => folder).sort());
  for (const place of places) {
    const { readme, hints, start } = await readExerciseFiles(place);
    expect(titleOf(readme)).not.toBe('');
    expect(hints).toHaveLength(3);
    for (const file of place.exercise.files) expect(Object.keys(start)).toContain(file);
    // A brief fits a screen or two.
    expect(readme.split('\n').length).toBeLessThan(60);
    expect(readme).toContain('## Your task');
  }
});

it('keeps the evidence of the incident as it is measured', async () => {
  const bench = new Bench({ folder: '.', load: async () => ({}) });
  const evidence = await evidenceOfFortyPercent(bench);
  await bench.close();
  const { start } = await readExerciseFiles(findPlace('forty-percent')!);
  expect(JSON.parse(start['evidence.json']!)).toEqual(evidence);
});

it('finds exercises by number, name and folder', () => {
  for (const word of ['3.1', 'hot-shipment', '3-hot-keys/1-hot-shipment', 'x/3-hot-keys/1-hot-shipment/'])
    expect(findPlace(word)?.exercise.id).toBe('hot-shipment');
  expect(findPlace('nothing')).toBeUndefined();
  expect(new Set(places.map(({ exercise }) => exercise.id)).size).toBe(places.length);
});

it('names pages of the handbook and exercises that are there', async () => {
  const topics = topicNames();
  for (const place of places) {
    for (const topic of place.exercise.topics) expect(topics).toContain(topic);
    const { readme, hints } = await readExerciseFiles(place);
    for (const [, topic] of `${readme}${hints.join()}`.matchAll(/stator help ([\w-]+)/g))
      expect(topics).toContain(topic);
  }
  for (const { questions } of quizzes)
    for (const question of questions) {
      expect(topics).toContain(question.topic);
      if (question.exercise !== undefined) expect(findPlace(question.exercise)).toBeDefined();
      const choices = choicesOf(question);
      expect(choices.filter(({ isRight }) => isRight)).toHaveLength(1);
      expect(new Set(choices.map(({ text }) => text)).size).toBe(4);
    }
});

it('spreads the right answers over the letters', () => {
  const letters = quizzes.flatMap(({ questions }) =>
    questions.map((question) => choicesOf(question).find(({ isRight }) => isRight)!.letter),
  );
  for (const letter of 'abcd') expect(letters.filter((one) => one === letter).length).toBeGreaterThan(2);
});
