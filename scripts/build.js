// Builds `dist/` from `src/`: JavaScript and types, nothing else. Kept a script so that a stale file of an
// earlier build can never reach the published package.
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [`${root}/node_modules/typescript/bin/tsc`, '-p', `${root}/tsconfig.build.json`],
  {
    stdio: 'inherit',
  },
);
chmodSync(`${root}/dist/cli/main.js`, 0o755);
