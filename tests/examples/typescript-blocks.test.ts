import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { newDirectory } from '../storage/directories.ts';
import { install, root } from './page-blocks.ts';

/**
 * Every TypeScript block of the documentation compiles under `strict`. What a block takes for granted stands in a comment
 * right above it, which pages do not show:
 *
 *     <!-- ts
 *     import { Stator } from 'stator';
 *     declare const db: Stator;
 *     -->
 *
 * A line `…` in it stands for the block, if something must follow too. `<!-- ts none: reason -->` says that the block is no
 * program.
 */
const fence =
  /(?:<!-- ts( none:[^\n]*-->|\n([\s\S]*?)-->)\n\s*)?^```(?:ts|typescript)(?: [^\n]*)?\n([\s\S]*?)^```/gm;

let folder: string | undefined;
afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

function pages(): string[] {
  const found = readdirSync(join(root, 'docs'), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.name.endsWith('.md'))
    .map((one) => relative(root, join(one.parentPath, one.name)));
  return ['README.md', ...found.sort()];
}

it('the TypeScript of the documentation compiles', async () => {
  folder = await newDirectory();
  await install(folder);
  for (const name of ['vitest', 'fast-check', '@types'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  await mkdir(join(folder, 'src'));
  await cp(join(root, 'tests/examples/shop.model.ts'), join(folder, 'src/shop.model.ts'));
  const blocks: string[] = [];
  for (const page of pages()) {
    const text = readFileSync(join(root, page), 'utf8');
    for (const [, none, around = '', body] of text.matchAll(fence)) {
      if (none?.startsWith(' none:')) continue;
      const program = around.includes('…\n')
        ? around.replace(/^…\n/m, () => filled(body!))
        : `${around}${filled(body!)}`;
      const name = `${page.replaceAll(/[/.]/g, '-')}-${blocks.length}.ts`;
      // A block with neither imports nor exports is still a module of its own.
      await writeFile(join(folder, 'src', name), `${program}\nexport {};\n`);
      blocks.push(name);
    }
  }
  expect(blocks.length).toBeGreaterThan(20);
  const options = {
    ...{
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'es2023',
      lib: ['es2023', 'esnext.disposable'],
    },
    ...{ module: 'nodenext', allowImportingTsExtensions: true, types: ['node'] },
  };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: ['src'] }),
  );
  await writeFile(join(folder, 'package.json'), '{ "name": "docs", "private": true, "type": "module" }');
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder], { cwd: folder }).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? String(error) }),
  );
  expect(stdout).toBe('');
}, 120_000);

/** A block with what its dots leave out. */
function filled(block: string): string {
  return block
    .replaceAll(/\{ … \}/g, '{}')
    .replaceAll(/, …/g, '')
    .replaceAll('…', '{}');
}
