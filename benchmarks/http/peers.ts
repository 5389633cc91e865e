import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const directory = fileURLToPath(new URL('../peers', import.meta.url));

export type PeerPackage = 'dynalite' | '@dynoxide/linux-x64' | '@extenddb/linux-x64';

/** Installs the other servers, unless they are there. Packages for other platforms are passed over by npm. */
export function installPeers(): void {
  if (existsSync(`${directory}/node_modules/.package-lock.json`)) return;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 300_000,
  });
}

/** Where a peer is installed, and in which version; undefined when it is not. */
export function findPeer(name: PeerPackage): { path: string; version: string } | undefined {
  const path = `${directory}/node_modules/${name}`;
  if (!existsSync(`${path}/package.json`)) return undefined;
  const { version } = JSON.parse(readFileSync(`${path}/package.json`, 'utf8')) as { version: string };
  return { path, version };
}
