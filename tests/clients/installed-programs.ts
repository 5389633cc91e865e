import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { devNull } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** All programs of a name for which `works` holds, by path. A machine may have a distribution's and its user's own. */
export async function installed(name: string, works: readonly string[]): Promise<string[]> {
  const folders = new Set([...(process.env.PATH ?? '').split(delimiter), '/usr/bin']);
  // In a merged system /bin is /usr/bin by another name.
  folders.delete('/bin');
  const candidates = [...folders].map((folder) => join(folder, name)).filter((path) => existsSync(path));
  const tried = await Promise.all(
    candidates.map((path) =>
      run(path, [...works], { env: clientEnvironment }).then(
        () => true,
        () => false,
      ),
    ),
  );
  return candidates.filter((_, i) => tried[i]);
}

/** What a client is given beside the endpoint: credentials that mean nothing and a Region, and no settings of ours. */
export const clientEnvironment: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_'))),
  AWS_ACCESS_KEY_ID: 'anyone',
  AWS_SECRET_ACCESS_KEY: 'anything',
  AWS_DEFAULT_REGION: 'eu-west-1',
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
};

/** Runs a program to its end and answers what it printed; its errors are thrown with what it complained of. */
export async function output(path: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(path, [...args], { env: clientEnvironment });
  return stdout;
}
