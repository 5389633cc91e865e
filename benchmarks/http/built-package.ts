import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds the package as it is published, beside `dist` rather than in it, so that a benchmark never measures a build
 * that is older than the sources, nor takes one away under another program. Answers the path of its index.
 */
export function buildPackage(): string {
  const out = `${root}node_modules/.cache/benchmark-build`;
  rmSync(out, { recursive: true, force: true });
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  // Types are the business of another command, and what the compiler has to say is no part of a report.
  const options = ['--outDir', out, '--declaration', 'false', '--noCheck'];
  execFileSync(process.execPath, [tsc, '-p', `${root}tsconfig.build.json`, ...options], {
    stdio: ['ignore', 2, 2],
  });
  return `${out}/index.js`;
}
