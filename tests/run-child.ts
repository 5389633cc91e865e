import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A TypeScript program of the tests, run in a process of its own so that it can be stopped and killed. */
export interface Child {
  readonly process: ChildProcess;
  /** The lines it has printed so far. */
  readonly lines: readonly string[];
  /** Resolves when a line for which `wanted` is true was printed; rejects when the child ends without one. */
  until(wanted: (line: string) => boolean): Promise<string>;
  /** Resolves once the child has ended and all its output was read. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>;
}

export function runChild(
  program: URL,
  args: readonly string[],
  wrapper: readonly string[] = [],
  flags: readonly string[] = [],
): Child {
  const command = [
    ...wrapper,
    process.execPath,
    ...flags,
    '--import',
    'tsx',
    fileURLToPath(program),
    ...args,
  ];
  const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const check of waiting) check();
  };
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  let over = false;
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => {
    lines.push(line);
    wake();
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>(
    (resolve) => {
      child.on('close', (code, signal) => {
        over = true;
        wake();
        resolve({ code, signal, errors });
      });
    },
  );
  return {
    process: child,
    lines,
    ended,
    until: (wanted) =>
      new Promise((resolve, reject) => {
        let read = 0;
        const check = () => {
          for (; read < lines.length; read++)
            if (wanted(lines[read]!)) {
              waiting.delete(check);
              resolve(lines[read]!);
              return;
            }
          if (over) {
            waiting.delete(check);
            reject(new Error(`The child ended before the line came: ${errors}`));
          }
        };
        waiting.add(check);
        check();
      }),
  };
}
