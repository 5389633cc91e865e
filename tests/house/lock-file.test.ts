import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Locked {
  readonly integrity?: string;
  readonly hasInstallScript?: true;
  readonly dev?: true;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly resolved?: string;
}

const { packages } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
) as { packages: Readonly<Record<string, Locked>> };

const nameOf = (path: string) => path.replace(/^.*node_modules\//, '');

/**
 * Binaries for platforms on which nothing of ours is built, in versions that the registry behind this lock file did not
 * carry. npm completes them when it locks on such a platform; no other entry may be without its hash.
 */
const unhashed = [
  '@biomejs/cli-android-arm64',
  '@biomejs/cli-android-x64',
  '@biomejs/cli-darwin-arm64',
  '@biomejs/cli-darwin-x64',
  '@biomejs/cli-win32-arm64',
  '@biomejs/cli-win32-x64',
  '@msgpackr-extract/msgpackr-extract-darwin-arm64',
  '@msgpackr-extract/msgpackr-extract-darwin-x64',
  '@msgpackr-extract/msgpackr-extract-linux-arm',
  '@msgpackr-extract/msgpackr-extract-win32-x64',
];

describe('the lock file', () => {
  it('has the hash of every package', () => {
    const without = Object.entries(packages).filter(([path, { integrity }]) => path !== '' && !integrity);
    expect(without.map(([path]) => nameOf(path)).sort()).toEqual(unhashed);
  });

  it('has the two install scripts that SECURITY.md names among what users install, and no other', () => {
    const scripts = Object.entries(packages).filter(
      ([, { hasInstallScript, dev }]) => hasInstallScript && !dev,
    );
    expect(scripts.map(([path]) => nameOf(path)).sort()).toEqual(['lmdb', 'msgpackr-extract']);
    const security = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8');
    for (const name of ['lmdb', 'msgpackr-extract']) expect(security).toContain(`\`${name}\``);
  });

  it('has every optional package of every platform, or npm ci refuses it elsewhere', () => {
    const locked = new Set(Object.keys(packages).map(nameOf));
    const optional = Object.values(packages).flatMap((one) => Object.keys(one.optionalDependencies ?? {}));
    expect(optional.filter((name) => !locked.has(name))).toEqual([]);
  });

  it('names no address', () => {
    expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  });
});
