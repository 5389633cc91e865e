import { randomInt } from 'node:crypto';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createVitest, type Vitest } from 'vitest/node';
import { type Find, FindReporter } from './find-reporter.ts';
import { seededTestFiles } from './seeded-test-files.ts';

/**
 * `npm run test:explore`: runs the random tests with a fresh seed per round until its time is over. It prints each
 * failing test as soon as it fails, with the command that repeats it, and goes on.
 */
const usage = `Usage: npm run test:explore -- [--minutes <n> | --rounds <n>] [<part of a test file's path> …]

Runs every test that takes a seed, with a fresh seed in each round, and prints the failures with
the commands that repeat them. Without a path it runs them all.

  --minutes <n>   how long, 10 if neither is given; a test that has begun is finished
  --rounds <n>    how many rounds
  --list          prints the test files and runs nothing

Exit codes: 0 nothing failed, 1 something did, 2 the command is wrong.
`;

const repository = fileURLToPath(new URL('../..', import.meta.url));

interface Plan {
  readonly root: string;
  readonly files: readonly string[];
  readonly rounds: number;
  readonly endMs: number;
}

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const plan = readPlan(args);
  if (typeof plan === 'number') return plan;
  const finds: Find[] = [];
  let done = 0;
  let passed = 0;
  let isStopped = false;
  let current: Vitest | undefined;
  const stop = () => {
    isStopped = true;
    void current?.cancelCurrentRun('keyboard-input');
  };
  // Vitest ends the process on SIGINT and SIGTERM by itself. The finds are told however it ends.
  process.once('exit', () => {
    console.info(`\n${done} rounds, ${passed} tests passed, ${finds.length} failed.`);
    for (const find of finds) console.info(`  ${find.command(plan.root)}`);
  });
  const timer = setTimeout(stop, plan.endMs - Date.now());
  for (; done < plan.rounds && !isStopped; done++) {
    // The one fresh seed of all the tests: everything that a round chooses follows from it.
    const seed = randomInt(2 ** 31);
    process.env.STATOR_TEST_SEED = String(seed);
    const reporter = new FindReporter(seed, (find) => {
      finds.push(find);
      console.info(shown(find, plan.root));
    });
    current = await createVitest('test', { root: plan.root, watch: false, reporters: [reporter] });
    try {
      if (!isStopped) await current.start([...plan.files]);
    } finally {
      await current.close();
    }
    passed += reporter.passed;
    console.info(`Round ${done + 1}, seed ${seed}: ${reporter.passed} passed, ${reporter.failed} failed.`);
  }
  clearTimeout(timer);
  return finds.length === 0 ? 0 : 1;
}

/** What to do, or the exit code where there is nothing to do. */
function readPlan(args: readonly string[]): Plan | number {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        minutes: { type: 'string' },
        rounds: { type: 'string' },
        list: { type: 'boolean' },
        help: { type: 'boolean' },
        // Another project than this repository, for the test of this command.
        root: { type: 'string', default: repository },
      },
    });
    if (values.help) {
      console.info(usage);
      return 0;
    }
    if (values.minutes !== undefined && values.rounds !== undefined)
      throw new Error('--minutes and --rounds exclude each other.');
    const rounds = positive('--rounds', values.rounds) ?? Number.POSITIVE_INFINITY;
    // A timer takes 2^31 milliseconds at most, which is more than three weeks.
    const minutes = positive('--minutes', values.minutes) ?? (values.rounds === undefined ? 10 : 30_000);
    const root = values.root;
    const files = seededTestFiles(root).filter(
      (file) => positionals.length === 0 || positionals.some((part) => file.includes(part)),
    );
    if (files.length === 0)
      throw new Error(`No test file with random tests matches ${positionals.join(', ')}.`);
    if (values.list) {
      for (const file of files) console.info(file);
      return 0;
    }
    return { root, files, rounds, endMs: Date.now() + Math.min(minutes, 30_000) * 60_000 };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
}

function positive(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(number > 0)) throw new Error(`${flag} takes a number above 0, not '${text}'.`);
  return number;
}

function shown(find: Find, root: string): string {
  return [
    `\nFAILED ${find.files.map((file) => relative(root, file)).join(' or ')}: ${find.name}`,
    ...find.message
      .split('\n')
      .slice(0, 40)
      .map((line) => `    ${line}`),
    `  seed ${find.seed}, repeat with`,
    `  ${find.command(root)}\n`,
  ].join('\n');
}
