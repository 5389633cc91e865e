import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const planted = fileURLToPath(new URL('./planted', import.meta.url));

it('goes on after failures and crashes, and tells for each the command that repeats it', async () => {
  const { code, output } = await explore('--root', planted, '--rounds', '2');
  expect(code).toBe(1);
  const seeds = [...output.matchAll(/^Round \d, seed (\d+): 1 passed, 3 failed\.$/gm)].map(
    ([, seed]) => seed!,
  );
  expect(new Set(seeds).size).toBe(2);
  expect(output).toContain('2 rounds, 2 tests passed, 6 failed.');
  for (const seed of seeds) {
    expect(output).toContain(`a planted bug, seed ${seed}`);
    expect(output).toContain(`STATOR_TEST_SEED=${seed} npx vitest run tests/crash.planted.ts`);
    expect(output).toContain(`{ seed: ${seed}, path: "0`);
  }
  const summary = output.slice(output.indexOf('2 rounds,'));
  const commands = [...summary.matchAll(/^ {2}(STATOR_TEST_SEED=.*)$/gm)].map(([, command]) => command!);
  expect(commands.map((command) => command.match(/=(\d+)/)![1])).toEqual(
    seeds.flatMap((seed) => [seed, seed, seed]),
  );
  const first = commands.find((command) => command.includes('this one'))!;
  const repeated = await run('/bin/sh', ['-c', first], planted);
  expect(repeated.code).toBe(1);
  expect(repeated.output).toContain(`a planted bug, seed ${seeds[0]}`);
  expect(repeated.output).toMatch(/1 failed \| 2 skipped/);
});

it('stops when its time is over', async () => {
  const { code, output } = await explore('--minutes', '0.0001', 'src/storage/memory/ordered-map');
  expect(code).toBe(0);
  expect(output).toMatch(/\n[01] rounds, \d+ tests passed, 0 failed\.\n/);
});

it.each([
  ['--minutes', 'soon'],
  ['--minutes', '1', '--rounds', '1'],
  ['no-such-test-file'],
  ['--hours', '1'],
])('refuses %s %s', async (...args) => {
  const { code, output } = await explore(...args);
  expect(code).toBe(2);
  expect(output).toContain('Usage: npm run test:explore');
});

function explore(...args: readonly string[]) {
  const command = [
    ...['--import', 'tsx', fileURLToPath(new URL('./main.ts', import.meta.url))],
    ...args.filter((arg) => arg !== undefined),
  ];
  return run(process.execPath, command, repository);
}

/** Runs a program as it runs by itself: Vitest's own variables would tell it that it is within a test. */
function run(file: string, args: readonly string[], cwd: string): Promise<{ code: number; output: string }> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST$|NODE_ENV$|STATOR_TEST_)/.test(name)),
  );
  return new Promise((resolve) => {
    const child = execFile(file, [...args], { cwd, env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, output: stripAnsi(`${stdout}${stderr}`) }),
    );
  });
}

function stripAnsi(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that colour the output.
  return text.replaceAll(/\u001b\[[0-9;]*m/g, '');
}
