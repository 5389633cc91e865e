import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Builds the package as it is published, beside `dist` rather than in it, so that a benchmark never measures a build
 * that is older than the sources, nor takes one away under another program. Answers the path of its index.
 */
export function buildPackage(): string {
  built ??= build();
  return built;
}

/**
 * The package as users have it, for what is measured in this process. The sources as they are loaded here are slower:
 * the loader gives every function its name each time it is made, which costs a PutItem a quarter of its time.
 */
export async function builtStator(): Promise<typeof import('../../src/index.ts')> {
  return (await import(pathToFileURL(buildPackage()).href)) as typeof import('../../src/index.ts');
}

/** One run measures one build, however many parts it has. */
let built: string | undefined;

function build(): string {
  const place = `${root}node_modules/.cache/benchmark-package-${process.pid}`;
  // Each run has its own, so that two at once do not take each other's away.
  process.once('exit', () => rmSync(place, { recursive: true, force: true }));
  const out = `${place}/dist`;
  mkdirSync(place, { recursive: true });
  for (const paper of ['package.json', 'README.md', 'LICENSE'])
    copyFileSync(`${root}${paper}`, `${place}/${paper}`);
  // Types are no part of what is measured, and what the builder has to say is no part of a report.
  execFileSync(process.execPath, [`${root}scripts/build.js`, out, '--no-types'], {
    stdio: ['ignore', 2, 2],
  });
  return `${out}/index.js`;
}
