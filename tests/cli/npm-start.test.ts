import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Places } from './places.ts';
import { plainRequest } from './plain-request.ts';
import { runProgram } from './stator-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const built = join(root, 'dist/cli/main.js');
const places = new Places();

// What was built by `npm test`; a build in the middle of the tests would pull it away from under others.
if (!existsSync(built)) execFileSync('npm', ['run', '--silent', 'build'], { cwd: root });

describe('the built command', () => {
  it('gets its flags from npm start', async () => {
    const args = ['start', '--ignore-scripts', '--', '--port', '0', '--in-memory', '--json'];
    const npm = places.keep(runProgram('npm', args, { directory: root, detached: true }));
    const said = JSON.parse(await npm.out.until(/"listening"/)) as { endpoint: string; pid: number };
    expect((await plainRequest(said.endpoint, 'ListTables', {})).body).toEqual({ TableNames: [] });
    process.kill(said.pid, 'SIGTERM');
    await npm.ended;
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
