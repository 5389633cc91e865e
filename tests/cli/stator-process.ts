import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export interface StatorProcess {
  readonly process: ChildProcess;
  readonly out: Lines;
  readonly err: Lines;
  /** Resolves once the process has ended and all its output was read. */
  readonly ended: Promise<Ending>;
  /** The address it serves on, once it does. */
  endpoint(): Promise<string>;
}

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

interface Placement {
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly detached?: boolean;
}

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const tsx = import.meta.resolve('tsx');

/** Keeps the AWS settings in the home directory of whoever runs the tests out of them. */
const noAwsFiles = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };

/** The command as its users run it, only from the sources. */
export function runStator(args: readonly string[], placement: Placement): StatorProcess {
  return runProgram(process.execPath, ['--import', tsx, main, ...args], placement);
}

export function runProgram(
  program: string,
  args: readonly string[],
  { directory, environment = {}, uid, detached = false }: Placement,
): StatorProcess {
  // Variables of whoever runs the tests must not decide them.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(STATOR_|AWS_|NO_COLOR|NODE_OPTIONS)/.test(name),
  );
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...Object.fromEntries(inherited), ...noAwsFiles, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached,
    ...(uid !== undefined && { uid, gid: uid }),
  });
  const out = new Lines(child.stdout);
  const err = new Lines(child.stderr);
  const ended = new Promise<Ending>((resolve) => {
    child.on('close', (code, signal) => {
      out.end(`${out.text}${err.text}`);
      err.end(`${out.text}${err.text}`);
      resolve({ code, signal, out: out.text, err: err.text });
    });
  });
  return {
    process: child,
    ...{ out, err, ended },
    endpoint: async () => /http:\/\/[^\s"]+:\d+/.exec(await out.until(/http:\/\/[^\s"]+:\d+/))![0],
  };
}

/** Sends a signal until the process has ended, since one that comes right after the first counts as its echo. */
export function insist(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): void {
  const again = setInterval(() => child.kill(signal), 50);
  child.once('exit', () => clearInterval(again));
}

/** Output as it comes, to be waited for. */
class Lines {
  readonly #lines: string[] = [];
  readonly #waiting = new Set<() => void>();
  #ending: string | undefined;

  constructor(stream: Readable) {
    createInterface({ input: stream }).on('line', (line) => {
      this.#lines.push(line);
      for (const check of [...this.#waiting]) check();
    });
  }

  get text(): string {
    return this.#lines.map((line) => `${line}\n`).join('');
  }

  end(everything: string): void {
    this.#ending = everything;
    for (const check of [...this.#waiting]) check();
  }

  /** The first line that matches; rejects when the process ends without one. */
  until(pattern: RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = this.#lines.find((line) => pattern.test(line));
        if (found === undefined && this.#ending === undefined) return;
        this.#waiting.delete(check);
        if (found !== undefined) resolve(found);
        else reject(new Error(`The process ended without a line like ${pattern}:\n${this.#ending}`));
      };
      this.#waiting.add(check);
      check();
    });
  }
}
