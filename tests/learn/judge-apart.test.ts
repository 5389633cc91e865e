import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { judgeApart, type ToldAttempt } from '../../src/cli/learn/judge-apart.ts';
import { findPlace } from '../../src/learn/course.ts';
import { readExerciseFiles } from '../../src/learn/course-files.ts';
import { newDirectory } from '../storage/directories.ts';

const place = findPlace('one-query')!;
let directory: string;
let count = 0;
beforeAll(async () => {
  directory = await newDirectory();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Judges a text as query.mjs, in a process as the command starts it, only from the sources. */
async function judged(text: string, seconds = 60): Promise<ToldAttempt> {
  const folder = join(directory, String(count++));
  await mkdir(folder);
  await writeFile(join(folder, 'query.mjs'), text);
  const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
  const execArgv = ['--import', import.meta.resolve('tsx')];
  return judgeApart(place, { folder, seconds, program, execArgv });
}

async function solutionWith(line: string): Promise<string> {
  const { solution } = await readExerciseFiles(place);
  return solution['query.mjs']!.replace('  return {', () => `${line}\n  return {`);
}

it('passes a solution and shows what it printed', async () => {
  const attempt = await judged(await solutionWith("  console.log('asked for', month);"));
  expect(attempt.passed).toBe(true);
  expect(attempt.printed).toContain('asked for 2026-06');
});

it('waits for a check that takes longer than other commands are given to end', async () => {
  const solution = await solutionWith('');
  const attempt = await judged(`await new Promise((resolve) => setTimeout(resolve, 1_500));\n${solution}`);
  expect(attempt.steps.find(({ passed }) => !passed)).toBeUndefined();
  expect(attempt.passed).toBe(true);
});

it('ends a loop that never ends', async () => {
  const attempt = await judged(await solutionWith('  for (;;);'), 5);
  expect(attempt.passed).toBe(false);
  expect(attempt.steps).toEqual([
    expect.objectContaining({
      saw: 'Your code was still running after 5 seconds.',
      rule: expect.stringContaining('a loop that never ends'),
    }),
  ]);
});

it.each([
  ['process.exit', '  process.exit(3);', /ended with exit code 3/],
  ['a promise that nobody awaits', "  void Promise.reject(new Error('lost'));", /Error: lost/],
])('teaches about %s', async (_, line, saw) => {
  const attempt = await judged(await solutionWith(line));
  expect(attempt.passed).toBe(false);
  expect(attempt.steps.at(-1)!.saw).toMatch(saw);
  expect(JSON.stringify(attempt.steps)).not.toMatch(/node:internal|\bat .*\.ts:\d+/);
});

it('teaches about a file that cannot be read, or never ends to load', async () => {
  const broken = await judged('export function ordersOfMonth( {');
  expect(broken.steps.at(-1)!.saw).toMatch(/query.mjs cannot be loaded.*SyntaxError/);
  const onThird = await judged(
    'export function ordersOfMonth() {\n  return {\n    TableName: app app\n  };\n}\n',
  );
  expect(onThird.steps.at(-1)!.saw).toMatch(/query.mjs cannot be loaded \(line 3\): SyntaxError/);
  const waiting = await judged('await new Promise(() => {});', 4);
  expect(waiting.steps.at(-1)!.saw).toMatch(/still running after 4 seconds|exit code 13/);
});
