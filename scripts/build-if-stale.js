// Builds the package unless `dist/` is newer than everything that it is made of. `npm start` runs it first.
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const sources = [
  'src',
  'studio',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
];
/** The build writes it last, so that a build that failed counts as none. */
const stamp = 'dist/THIRD-PARTY-LICENSES.txt';

/** Tells whether something under `root` was changed since the last build. */
export function isStale(root) {
  const builtMs = statSync(join(root, stamp), { throwIfNoEntry: false })?.mtimeMs;
  return builtMs === undefined || sources.some((name) => newestMs(join(root, name)) > builtMs);
}

/** Folders count too: they change when a file goes. */
function newestMs(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  if (isStale(root)) execFileSync(process.execPath, [join(root, 'scripts/build.js')], { stdio: 'inherit' });
}
