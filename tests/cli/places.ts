import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { newDirectory } from '../storage/directories.ts';
import { type Ending, runStator, type StatorProcess } from './stator-process.ts';

/** Directories and processes of one test file; whatever a test leaves behind is ended and removed after it. */
export class Places {
  readonly #directories: string[] = [];
  readonly #running: StatorProcess[] = [];

  constructor() {
    afterEach(async () => {
      for (const { process: child, ended } of this.#running.splice(0)) {
        child.kill('SIGKILL');
        await ended;
      }
      for (const path of this.#directories.splice(0)) await rm(path, { recursive: true, force: true });
    });
  }

  async directory(files: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const path = await newDirectory();
    this.#directories.push(path);
    for (const [name, content] of Object.entries(files))
      await writeFile(join(path, name), typeof content === 'string' ? content : JSON.stringify(content), {
        mode: 0o600,
      });
    return path;
  }

  /** Runs until it is stopped. */
  start(
    directory: string,
    args: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): StatorProcess {
    return this.keep(runStator(args, { directory, environment }));
  }

  /** Runs to its end. */
  run(
    directory: string,
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Ending> {
    return this.start(directory, args, environment).ended;
  }

  keep(running: StatorProcess): StatorProcess {
    this.#running.push(running);
    return running;
  }
}
