import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../house/source-files.ts';
import { type Image, layImage, openToAll, outerEnvironment, placedWords } from './image-layers.ts';

const run = promisify(execFile);
/** A user who may do nothing. Only root can start a process for another user. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** The Dockerfile's instructions are followed in a clean folder, and what they make is started. */
describe.skipIf(process.platform === 'win32')('the image', () => {
  let directory: string;
  let image: Image;
  let server: ChildProcess | undefined;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'stator-image-'));
    openToAll(directory);
    image = await layImage(textOf('Dockerfile'), directory);
  });

  afterAll(async () => {
    if (server?.exitCode === null) {
      const ended = new Promise((resolve) => server!.once('close', resolve));
      server.kill();
      await ended;
    }
    await rm(directory, { recursive: true, force: true });
  });

  it('holds the package, its dependencies and pg', () => {
    const place = join(image.root, image.workdir);
    const names = readdirSync(place);
    for (const name of ['dist', 'docs', 'course', 'examples', 'package.json', 'LICENSE'])
      expect(names).toContain(name);
    const packages = readdirSync(join(place, 'node_modules')).filter(
      (name) => !/^[.@]/.test(name) && readdirSync(join(place, 'node_modules', name)).length > 0,
    );
    expect(packages).toEqual(expect.arrayContaining(['lmdb', 'pg', 'sorted-btree', 'yaml']));
    expect(packages).not.toEqual(expect.arrayContaining(['vitest']));
    expect(packages).not.toEqual(expect.arrayContaining(['typescript']));
  });

  it('starts as a user without rights, is healthy, and shows the studio', async () => {
    const { port, variables } = await start();
    const check = placedWords(image.healthCheck, image.root);
    await run(check[0]!, check.slice(1), { env: { ...variables, STATOR_PORT: port } });
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<script');
    expect(statSync(join(image.root, 'var/lib/stator')).uid).toBe(nobody.uid ?? process.getuid!());
  });

  it('has a health check that fails for a server that is gone', async () => {
    const check = placedWords(image.healthCheck, image.root);
    const asked = run(check[0]!, check.slice(1), { env: { ...outerEnvironment(), STATOR_PORT: '1' } });
    await expect(asked).rejects.toMatchObject({ code: 1 });
  });

  /** Starts the image's command on loopback and a free port; an image listens on every address of its container. */
  async function start(): Promise<{ readonly port: string; readonly variables: NodeJS.ProcessEnv }> {
    const data = join(image.root, 'var/lib/stator');
    const env = { ...image.env, STATOR_HOST: '127.0.0.1', STATOR_PORT: '0', STATOR_DATA_DIR: data };
    const variables = { ...outerEnvironment(), ...env };
    if (nobody.uid !== undefined) chownSync(data, nobody.uid, nobody.gid);
    const words = placedWords([...image.entrypoint, ...image.command], image.root);
    server = spawn(words[0]!, words.slice(1), {
      cwd: join(image.root, image.workdir),
      env: variables,
      stdio: ['ignore', 'pipe', 'inherit'],
      ...nobody,
    });
    const { stdout } = server;
    const lines = createInterface({ input: stdout! });
    for await (const line of lines) {
      const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port === undefined) continue;
      stdout!.resume();
      return { port, variables };
    }
    throw new Error('the server of the image ended before it listened');
  }
});
