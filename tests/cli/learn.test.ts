import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { places as exercises } from '../../src/learn/course.ts';
import { choicesOf } from '../../src/learn/quizzes/quiz.ts';
import { quizzes } from '../../src/learn/quizzes/quizzes.ts';
import { Places } from './places.ts';
import { runHere } from './run-here.ts';

const places = new Places();
const first = '1-inventory/1-read-the-bill';

async function begun(): Promise<{ directory: string; folder: string }> {
  const directory = await places.directory();
  expect((await runHere(directory, ['learn'])).code).toBe(0);
  return { directory, folder: join(directory, 'stator-learn') };
}

const textOf = (...path: string[]) => readFile(join(...path), 'utf8');

it('begins, is checked, is solved, and goes on', async () => {
  const directory = await places.directory();
  const welcome = await runHere(directory, ['learn']);
  expect(welcome.out).toContain('Welcome to the course');
  expect(welcome.out).toContain('Read the bill');
  const folder = join(directory, 'stator-learn');
  expect(await textOf(folder, first, 'prediction.json')).toContain('"readUnits": 0');

  const early = await runHere(directory, ['learn', 'next']);
  expect([early.code, early.err]).toEqual([
    1,
    expect.stringContaining('1.1 read-the-bill has not passed yet'),
  ]);

  const wrong = await places.run(directory, ['learn', 'check', '--seconds', '300']);
  expect(wrong.code).toBe(1);
  expect(wrong.out).toContain('✓ prediction.json holds numbers');
  expect(wrong.out).toContain('✗ A: GetItem');
  expect(wrong.out).toContain('To read: stator help capacity-and-cost');

  const solution = JSON.parse((await runHere(directory, ['learn', 'solution', '--json'])).out);
  await writeFile(join(folder, first, 'prediction.json'), solution.files['prediction.json']);
  // From the folder of the exercise, as people do.
  const right = await places.run(join(folder, first), ['learn', 'check', '--seconds', '300', '--json']);
  expect(right.code).toBe(0);
  expect(JSON.parse(right.out)).toMatchObject({ event: 'checked', exercise: 'read-the-bill', passed: true });

  const next = await runHere(directory, ['learn', 'next']);
  expect(next.out).toContain('1.2 · Inventory');
  const where = JSON.parse((await runHere(directory, ['learn', '--json'])).out);
  expect(where).toMatchObject({ current: 'pattern-list', passed: 1, of: exercises.length });
  expect((await runHere(directory, ['learn'])).out).toContain('✓ 1.1  Read the bill');
});

it('shows one more hint at each call, and a solution without touching files', async () => {
  const { directory, folder } = await begun();
  const before = await textOf(folder, first, 'prediction.json');
  expect((await runHere(directory, ['learn', 'hint'])).out).toContain('Hint 1 of 3');
  const second = (await runHere(directory, ['learn', 'hint'])).out;
  expect(second).toContain('Hint 2 of 3');
  expect(second).not.toContain('Hint 3 of 3');
  expect((await runHere(directory, ['learn', 'hint', '--all'])).out).toContain('That was the last one');
  expect((await runHere(directory, ['learn', 'solution'])).out).toContain('"readUnits": 122.5');
  expect(await textOf(folder, first, 'prediction.json')).toBe(before);
  const out = await runHere(directory, ['learn', 'solution', '--out', 'there']);
  expect(out.out).toContain('there/prediction.json');
  expect((await runHere(directory, ['learn', 'solution', '--out', 'there'])).err).toContain(
    'is there already',
  );
});

it('keeps what the learner wrote when an exercise is reset, and says so', async () => {
  const { directory, folder } = await begun();
  const path = join(folder, first, 'prediction.json');
  const original = await readFile(path, 'utf8');
  await writeFile(path, 'my own work');
  const reset = await runHere(directory, ['learn', 'reset', '1.1']);
  expect(reset.out).toContain(
    'Your file was kept as stator-learn/1-inventory/1-read-the-bill/prediction.json.1.bak',
  );
  expect(await readFile(`${path}.1.bak`, 'utf8')).toBe('my own work');
  expect(await readFile(path, 'utf8')).toBe(original);
  await writeFile(path, 'again');
  await runHere(directory, ['learn', 'reset']);
  expect(await readFile(`${path}.2.bak`, 'utf8')).toBe('again');
});

it('gives back what is missing of an exercise, and nothing else', async () => {
  const { directory, folder } = await begun();
  await writeFile(join(folder, first, 'prediction.json'), 'my own work');
  await rm(join(folder, first, 'README.md'));
  expect((await runHere(directory, ['learn', 'check'])).err).toContain('README.md is missing');
  expect((await runHere(directory, ['learn', 'next', '1.1'])).code).toBe(0);
  expect(await textOf(folder, first, 'README.md')).toContain('# Read the bill');
  expect(await textOf(folder, first, 'prediction.json')).toBe('my own work');
});

it('says what to do about an exercise of another version, and about missing files', async () => {
  const { directory, folder } = await begun();
  const file = join(folder, 'stator-learn.json');
  const progress = JSON.parse(await readFile(file, 'utf8'));
  progress.exercises['read-the-bill'].files['README.md'] = '0000000000000000';
  await writeFile(file, JSON.stringify({ ...progress, stator: '0.0.9' }));
  const outdated = await runHere(directory, ['learn', 'check']);
  expect(outdated.err).toContain(
    'was begun with another version of Stator (0.0.9); README.md has changed since',
  );
  expect(outdated.err).toContain('stator learn reset read-the-bill');
  await writeFile(file, JSON.stringify({ ...progress, format: 'stator-learn/2' }));
  expect((await runHere(directory, ['learn'])).err).toContain('A newer Stator wrote it');
  await writeFile(file, JSON.stringify({ ...progress, format: 'stator-learn/0' }));
  expect((await runHere(directory, ['learn'])).err).toContain('Delete it and run stator learn --dir');
  const damaged = [
    '{ half',
    '[]',
    JSON.stringify({ ...progress, exercises: null }),
    JSON.stringify({ ...progress, quizzes: null }),
    JSON.stringify({ ...progress, exercises: { 'read-the-bill': {} } }),
  ];
  for (const text of damaged) {
    await writeFile(file, text);
    expect((await runHere(directory, ['learn'])).err).toContain('is damaged');
  }
});

it('finds the course from every folder of the project', async () => {
  const { directory, folder } = await begun();
  await mkdir(join(directory, 'src/deep'), { recursive: true });
  const where = await runHere(join(directory, 'src/deep'), ['learn', '--json']);
  expect(JSON.parse(where.out)).toMatchObject({ event: 'progress', folder });
});

it('takes over a course whose progress is lost, and changes no file', async () => {
  const { directory, folder } = await begun();
  await runHere(directory, ['learn', 'next', 'one-query']);
  await writeFile(join(folder, first, 'prediction.json'), 'my own work');
  await rm(join(folder, 'stator-learn.json'));
  const taken = await runHere(directory, ['learn', '--dir', folder, '--json']);
  expect(JSON.parse(taken.out)).toMatchObject({
    event: 'took over',
    begun: ['read-the-bill', 'one-query'],
    current: 'one-query',
  });
  expect(await textOf(folder, first, 'prediction.json')).toBe('my own work');
  expect((await runHere(directory, ['learn'])).out).toContain('0 of 26 exercises passed');
});

it('refuses what it cannot do', async () => {
  const directory = await places.directory({ 'a.txt': 'mine' });
  expect((await runHere(directory, ['learn', 'check'])).err).toContain('There is no course in stator-learn');
  const taken = await runHere(directory, ['learn', '--dir', '.']);
  expect(taken.err).toContain('holds no course');
  await runHere(directory, ['learn']);
  const unknown = await runHere(directory, ['learn', 'next', 'hot-shipmnt']);
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('Did you mean hot-shipment?')]);
  const verb = await runHere(directory, ['learn', 'chek']);
  expect([verb.code, verb.err]).toEqual([2, expect.stringContaining('Did you mean stator learn check?')]);
  const unbegun = await runHere(directory, ['learn', 'check', '3.1']);
  expect(unbegun.err).toContain('Begin it with stator learn next hot-shipment');
});

it('checks at each save', async () => {
  const { directory, folder } = await begun();
  const running = places.start(directory, ['learn', 'check', '--watch', '--seconds', '300']);
  await running.err.until(/Watching/);
  const solution = JSON.parse((await runHere(directory, ['learn', 'solution', '--json'])).out);
  await writeFile(join(folder, first, 'prediction.json'), solution.files['prediction.json']);
  await running.out.until(/Passed\./);
  running.process.kill('SIGINT');
  expect((await running.ended).code).toBe(0);
});

it('asks quizzes without a terminal', async () => {
  const { directory } = await begun();
  const all = JSON.parse((await runHere(directory, ['learn', 'quiz', '--json'])).out);
  expect(all.quizzes.map(({ questions }: { questions: number }) => questions)).toEqual([10, 12, 5]);
  for (const quiz of quizzes) {
    const shown = JSON.parse((await runHere(directory, ['learn', 'quiz', quiz.id, '--json'])).out);
    expect(JSON.stringify(shown)).not.toContain('because');
    const right = quiz.questions.map(
      (question) => choicesOf(question).find(({ isRight }) => isRight)!.letter,
    );
    const args = ['learn', 'quiz', quiz.id, '--answers', right.join(''), '--json'];
    const graded = JSON.parse((await runHere(directory, args)).out);
    expect([graded.right, graded.of]).toEqual([quiz.questions.length, quiz.questions.length]);
  }
  const open = await runHere(directory, ['learn', 'quiz', 'quick', '--answers', '?????']);
  expect(open.out).toContain('0 of 5 are right');
  expect(open.out).toMatch(/stator help partitions · exercise 7.1 forty-percent/);
  const short = await runHere(directory, ['learn', 'quiz', 'quick', '--answers', 'ab']);
  expect([short.code, short.err]).toEqual([
    2,
    expect.stringContaining('2 letters, and quick has 5 questions'),
  ]);
  expect((await runHere(directory, ['learn', 'quiz', 'quik'])).err).toContain('Did you mean quick?');
  expect((await runHere(directory, ['learn'])).out).toMatch(/✓ Quick check.* 0 of 5/);
});
