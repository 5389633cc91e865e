import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { places } from '../../src/learn/course.ts';
import { readExerciseFiles } from '../../src/learn/course-files.ts';
import { newDirectory } from '../storage/directories.ts';
import { judgeHere } from './judge-here.ts';
import { wrongAnswers } from './wrong-answers/all.ts';
import type { WrongAnswer } from './wrong-answers/wrong-answer.ts';

let directory: string;
let attempts = 0;
const ownFolder = () => join(directory, String(attempts++));
beforeAll(async () => {
  directory = await newDirectory();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe.each(places)('exercise $number $exercise.id', (place) => {
  const wrong: readonly WrongAnswer[] = wrongAnswers[place.exercise.id] ?? [];

  it('passes with its solution', async () => {
    const { solution } = await readExerciseFiles(place);
    expect(Object.keys(solution).sort()).toEqual([...place.exercise.files].sort());
    const attempt = await judgeHere(place, ownFolder(), solution);
    expect(attempt.steps.filter(({ passed }) => !passed)).toEqual([]);
    expect(attempt.passed).toBe(true);
  });

  it('does not pass as it begins', async () => {
    const attempt = await judgeHere(place, ownFolder(), {});
    expect(attempt.passed).toBe(false);
    expect(attempt.steps.at(-1)!.saw).not.toBe('');
  });

  it('has two plausible wrong answers', () => {
    expect(wrong.length).toBeGreaterThanOrEqual(2);
  });

  it.each(place.exercise.files.filter((name) => name.endsWith('.json')))(
    'bears any JSON in %s',
    async (name) => {
      for (const text of ['null', '5', '"text"', '[]', '{}', '[null]']) {
        const attempt = await judgeHere(place, ownFolder(), { [name]: text });
        expect(attempt.passed).toBe(false);
        expect(attempt.steps.at(-1)!.saw).not.toBe('');
      }
    },
  );

  it.each(wrong)('teaches: $what', async ({ change, saw, rule }) => {
    const { start, solution } = await readExerciseFiles(place);
    const attempt = await judgeHere(place, ownFolder(), change(solution, start));
    expect(attempt.passed).toBe(false);
    const last = attempt.steps.at(-1)!;
    expect(last.saw).toMatch(saw);
    if (rule !== undefined) expect(last.rule).toMatch(rule);
  });
});
