// Writes docs/api from the declarations that the package is built with.
//
//   npm run api
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiPages } from './api/reference.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const types = mkdtempSync(join(tmpdir(), 'stator-types-'));
try {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', types], {
    stdio: 'inherit',
  });
  const pages = apiPages((path) => readFileSync(join(types, `${path}.d.ts`), 'utf8'));
  const folder = join(root, 'docs/api');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const [name, page] of pages) writeFileSync(join(folder, name), page);
} finally {
  rmSync(types, { recursive: true, force: true });
}
