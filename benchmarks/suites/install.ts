import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buildPackage } from '../http/built-package.ts';
import { atMost, type Suite } from '../suite.ts';

/** What a project grows by when it installs the package: without pg and the AWS SDK, which it brings if it needs them. */
export const install: Suite = async (_options, onProgress) => {
  const folder = mkdtempSync(join(tmpdir(), 'stator-install-'));
  try {
    onProgress('packing and installing');
    const built = dirname(dirname(buildPackage()));
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
    // An array in some versions of npm, an object by name in others.
    const [packed] = Object.values(JSON.parse(npm(built, pack)) as Record<string, { filename: string }>);
    writeFileSync(join(folder, 'package.json'), '{ "name": "user", "private": true }');
    npm(folder, [
      'install',
      join(folder, packed!.filename),
      '--omit=dev',
      '--omit=peer',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
    ]);
    const modules = join(folder, 'node_modules');
    const sizes = packagesIn(modules).map((name) => ({ name, bytes: bytesOnDisk(join(modules, name)) }));
    const rows = sizes
      .toSorted((a, b) => b.bytes - a.bytes)
      .map(({ name, bytes }) => [name, megabytes(bytes).toFixed(2)]);
    return {
      findings: [atMost('installed, on disk', megabytes(bytesOnDisk(modules)), 30, 'MB')],
      tables: [{ title: 'Packages', head: ['package', 'MB on disk'], rows }],
      notes: [],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

function npm(cwd: string, args: readonly string[]): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', timeout: 300_000, stdio: ['ignore', 'pipe', 2] });
}

function packagesIn(modules: string): string[] {
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
    );
}

/** The blocks that files and folders take up, which is more than the bytes in them. */
function bytesOnDisk(path: string): number {
  const stat = lstatSync(path);
  const inside = stat.isDirectory() ? readdirSync(path).map((name) => bytesOnDisk(join(path, name))) : [];
  return inside.reduce((sum, bytes) => sum + bytes, stat.blocks * 512);
}

function megabytes(bytes: number): number {
  return bytes / 1e6;
}
