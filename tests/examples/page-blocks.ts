import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A block of code of a page: its language, the words behind the language, and its lines. */
export interface Block {
  readonly language: string;
  readonly words: string;
  readonly text: string;
}

export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```(\w+)(?: ([^\n]*))?\n([\s\S]*?)^```$/gm)].map(
    ([, language, words = '', text]) => ({ language: language!, words, text: text! }),
  );
}

/** As `npm install` would, without a download: links to this repository and to the packages that it has. */
export async function install(folder: string): Promise<void> {
  await mkdir(`${folder}/node_modules/.bin`, { recursive: true });
  await writeFile(`${folder}/package.json`, '{ "name": "shop", "private": true }');
  await symlink(root, `${folder}/node_modules/stator`);
  await symlink(`${root}/dist/cli/main.js`, `${folder}/node_modules/.bin/stator`);
  await symlink(`${root}/node_modules/@aws-sdk`, `${folder}/node_modules/@aws-sdk`);
}

export function shell(
  command: string,
  cwd: string,
  take: (chunk: string, isError: boolean) => void,
): ChildProcess {
  // What the page does not set, its reader may not have.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:AWS_|NODE_|STATOR_|VITEST)/.test(name),
  );
  const env = { ...Object.fromEntries(inherited), HOME: cwd };
  const child = spawn('/bin/sh', ['-c', command], { cwd, env, detached: true });
  child.stdout.on('data', (chunk: Buffer) => take(chunk.toString(), false));
  child.stderr.on('data', (chunk: Buffer) => take(chunk.toString(), true));
  return child;
}

export function output(command: string, cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let [printed, errors] = ['', ''];
    // Warnings, such as the SDK's about old versions of Node, are no part of what the page shows.
    const child = shell(`set -e\n${command}`, cwd, (chunk, isError) => {
      if (isError) errors += chunk;
      else printed += chunk;
    });
    child.on('close', (code) => {
      if (code === 0) resolve(printed);
      else reject(new Error(`${command}\nended with ${code}:\n${printed}${errors}`));
    });
  });
}
