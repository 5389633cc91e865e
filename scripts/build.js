// Builds `dist/` from `src/`: JavaScript in a few files, so that a command starts with few of them to read, and types
// for each module. Kept a script so that a stale file of an earlier build can never reach the published package.
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });

const tsc = [`${root}/node_modules/typescript/bin/tsc`, '-p', `${root}/tsconfig.build.json`];
execFileSync(process.execPath, tsc, { stdio: 'inherit' });

const bundle = await rolldown({
  cwd: root,
  input: { index: 'src/index.ts', 'cli/main': 'src/cli/main.ts', 'testing/index': 'src/testing/index.ts' },
  platform: 'node',
  // Packages are loaded as they are installed, and most of them only when they are needed.
  external: (id) => !/^[./]/.test(id) && !id.startsWith(root),
});
// What a module that is loaded on demand needs stays in files of its own, one level below, as `src/cli/version.ts` expects.
await bundle.write({ dir: `${root}/dist`, format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js' });
chmodSync(`${root}/dist/cli/main.js`, 0o755);
