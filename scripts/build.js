// Builds the package from `src/`: JavaScript in a few files, so that a command starts with few of them to read, and types
// for each module. Kept a script so that a stale file of an earlier build can never reach the published package.
//
//   node scripts/build.js [directory] [--no-types]      into `dist/` unless said otherwise
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);
const dir = words.find((word) => !word.startsWith('--')) ?? `${root}dist`;
rmSync(dir, { recursive: true, force: true });

if (!words.includes('--no-types')) {
  const tsc = `${root}node_modules/typescript/bin/tsc`;
  const options = ['-p', `${root}tsconfig.build.json`, '--outDir', dir];
  execFileSync(process.execPath, [tsc, ...options], { stdio: 'inherit' });
}

const bundle = await rolldown({
  cwd: root,
  input: {
    index: 'src/index.ts',
    'cli/main': 'src/cli/main.ts',
    'design/index': 'src/design/index.ts',
    'testing/index': 'src/testing/index.ts',
  },
  platform: 'node',
  // Packages are loaded as they are installed, and most of them only when they are needed.
  external: (id) => !/^[./]/.test(id) && !id.startsWith(root),
});
// What is loaded on demand stays in files of its own, one level below, as `src/cli/version.ts` expects.
await bundle.write({ dir, format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js' });
chmodSync(`${dir}/cli/main.js`, 0o755);
