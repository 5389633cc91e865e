import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Places } from './places.ts';
import { plainRequest } from './plain-request.ts';
import { runProgram, type StatorProcess } from './stator-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = join(root, 'dist/cli/main.js');
const places = new Places();

// What was built by `npm test`; a build in the middle of the tests would pull it away from under others.
if (!existsSync(built)) execFileSync('npm', ['run', '--silent', 'build'], { cwd: root });

describe('the built command', () => {
  it('gets its flags from npm start', async () => {
    const { npm, said } = await npmStart();
    expect((await plainRequest(said.endpoint, 'ListTables', {})).body).toEqual({ TableNames: [] });
    process.kill(said.pid, 'SIGTERM');
    await npm.ended;
  });

  it.each([
    { signal: 'SIGTERM', to: 'npm' },
    { signal: 'SIGINT', to: 'npm' },
    { signal: 'SIGTERM', to: 'its child' },
    { signal: 'SIGINT', to: 'its child' },
    // As Ctrl-C in a terminal, after which npm sends the signal on once more.
    { signal: 'SIGINT', to: 'both' },
  ] as const)('stops with npm start when $signal goes to $to', async ({ signal, to }) => {
    const { npm, said } = await npmStart();
    // A shell between the two would take the signal for itself.
    expect(childrenOf(npm.process.pid!)).toEqual([said.pid]);
    if (to === 'both') process.kill(-npm.process.pid!, signal);
    else process.kill(to === 'npm' ? npm.process.pid! : said.pid, signal);
    const { code, err } = await npm.ended;
    expect([code, err]).toEqual([0, expect.stringMatching(/finishing[\s\S]*"Stopped\."/)]);
    await expect(plainRequest(said.endpoint, 'ListTables', {})).rejects.toThrow();
  });

  it('starts its workers from the same file', async () => {
    const args = ['start', '--port', '0', '--workers', '2', '--json'];
    const directory = await places.directory();
    const stator = places.keep(runProgram(process.execPath, [built, ...args], { directory }));
    const said = JSON.parse(await stator.out.until(/"listening"/)) as { endpoint: string; workers: number[] };
    expect(said.workers).toHaveLength(2);
    expect((await plainRequest(said.endpoint, 'ListTables', {})).body).toEqual({ TableNames: [] });
    stator.process.kill('SIGTERM');
    expect(await stator.ended).toMatchObject({ code: 0, signal: null });
  });

  it('loads no database to tell its version', async () => {
    expect(await loadedFor(['--version'])).not.toContain('lmdb');
    // So that the test above cannot pass by looking in the wrong place.
    expect(await loadedFor(['compact', '--data-dir', '.'], { 'stator.mdb': '' })).toContain('lmdb');
  });

  it.runIf(Number(process.versions.node.split('.')[0]) < 22)(
    'says what to do about TypeScript that this Node cannot import',
    async () => {
      const directory = await places.directory({ 'stator.config.ts': 'export default {};' });
      const { code, err } = await places.keep(runProgram(process.execPath, [built], { directory })).ended;
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/is TypeScript, which Node 20[\d.]+ cannot import[\s\S]*\.mjs/),
      ]);
    },
  );
});

async function npmStart(): Promise<{ npm: StatorProcess; said: { endpoint: string; pid: number } }> {
  const args = ['start', '--ignore-scripts', '--', '--port', '0', '--in-memory', '--json'];
  const npm = places.keep(runProgram('npm', args, { directory: root, detached: true }));
  return { npm, said: JSON.parse(await npm.out.until(/"listening"/)) };
}

function childrenOf(pid: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number));
  return rows.filter(([, parent]) => parent === pid).map(([child]) => child!);
}

/** The addresses of all modules that were loaded, as V8 notes them for measuring coverage. */
async function loadedFor(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const directory = await places.directory(files);
  const notes = join(directory, 'notes');
  const environment = { NODE_V8_COVERAGE: notes };
  await places.keep(runProgram(process.execPath, [built, ...args], { directory, environment })).ended;
  const texts = readdirSync(notes).map((name) => readFileSync(join(notes, name), 'utf8'));
  const results = texts.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result);
  return results.map(({ url }) => url).join('\n');
}
