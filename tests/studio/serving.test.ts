import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { filesUnder, textOf } from '../house/source-files.ts';

const directory = new URL('../../dist/studio/', import.meta.url);

/** The build, as `npm run build` leaves it. */
function gzippedBytes(names: readonly string[]): number {
  return names.reduce(
    (sum, name) => sum + gzipSync(readFileSync(new URL(name, directory)), { level: 9 }).length,
    0,
  );
}

describe('the built studio', () => {
  it('is small: the shell under 60 KB gzipped, the editor under 130 KB, everything under 320 KB', () => {
    expect(existsSync(directory), 'run npm run build first').toBe(true);
    const names = readdirSync(directory);
    const page = readFileSync(new URL('index.html', directory), 'utf8');
    const shell = new Set([...page.matchAll(/\/_studio\/([\w.-]+)/g)].map(([, name]) => name!));
    // What the script imports before anything is drawn belongs to the shell too.
    for (const name of shell)
      if (name.endsWith('.js'))
        for (const [, other] of readFileSync(new URL(name, directory), 'utf8').matchAll(
          /(?:from|import)\s*["']\.\/([\w.-]+)["']/g,
        ))
          shell.add(other!);
    expect(gzippedBytes([...shell, 'index.html'])).toBeLessThan(60 * 1024);
    const editor = names.filter((name) => name.startsWith('code-mirror-'));
    expect(editor).toHaveLength(1);
    expect(gzippedBytes(editor)).toBeLessThan(130 * 1024);
    expect(gzippedBytes(names)).toBeLessThan(320 * 1024);
  });

  it('asks for nothing from elsewhere', () => {
    const page = readFileSync(new URL('index.html', directory), 'utf8');
    expect(
      [...page.matchAll(/(?:src|href)="([^"]+)"/g)].every(([, url]) => url!.startsWith('/_studio/')),
    ).toBe(true);
  });
});

describe('a server', () => {
  async function answers(studio: boolean, run: (url: string) => Promise<void>): Promise<void> {
    const db = await Stator.open();
    const server = await db.listen({ port: 0, studio });
    try {
      await run(server.url);
    } finally {
      await db.close();
    }
  }
  const html = { headers: { accept: 'text/html,*/*' } };

  it('gives browsers the page under a strict policy, and everybody else its health', () =>
    answers(true, async (url) => {
      const page = await fetch(url, html);
      expect(await page.text()).toContain('<div id="app">');
      expect(page.headers.get('content-security-policy')).toMatch(
        /default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'/,
      );
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      expect(await (await fetch(url)).text()).toMatch(/^healthy: /);
      const about = (await (await fetch(`${url}/_studio/about.json`)).json()) as object;
      expect(about).toMatchObject({ region: 'us-east-1', auth: 'open' });
      for (const path of [
        '/_studio/../package.json',
        '/_studio/%2e%2e/index.js',
        '/_studio/none.js',
        '/other',
      ])
        expect((await fetch(url + path, html)).status).toBe(404);
    }));

  it('has no page unless it is asked for', () =>
    answers(false, async (url) => {
      expect(await (await fetch(url, html)).text()).toMatch(/^healthy: /);
      expect((await fetch(`${url}/_studio/about.json`)).status).toBe(404);
    }));
});

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

describe('the licences beside the built studio', () => {
  const licences = textOf('dist/THIRD-PARTY-LICENSES.txt');
  const listed = [...licences.matchAll(/^-{80}\n\n(\S+) (\S+) \(.+\)$/gm)].map(([, name]) => name!);
  const manifest = (name: string) => JSON.parse(textOf(`node_modules/${name}/package.json`)) as Manifest;
  const imported = new Set(
    filesUnder('studio')
      .filter((path) => /(?<!\.test)\.tsx?$/.test(path))
      .flatMap((path) => [
        ...textOf(path).matchAll(
          /^import (?!type)[^;]*?from '((?:@[\w-]+\/)?[\w-]+)|import\('((?:@[\w-]+\/)?[\w-]+)/gm,
        ),
      ])
      .map(([, name, loaded]) => (name ?? loaded)!),
  );

  it('are those of every library that it imports, and of what these import', () => {
    expect(imported.size).toBeGreaterThan(5);
    expect([...imported].filter((name) => !listed.includes(name))).toEqual([]);
    const reachable = new Set(imported);
    for (const name of reachable)
      for (const other of Object.keys(manifest(name).dependencies ?? {})) reachable.add(other);
    expect(listed.filter((name) => !reachable.has(name))).toEqual([]);
    // The editor alone has five libraries below it.
    expect(listed).toContain('@lezer/common');
  });

  it('are whole, with the versions that were built', () => {
    for (const name of listed) {
      expect(licences).toContain(`\n${name} ${manifest(name).version} (`);
      expect(licences).toContain(textOf(`node_modules/${name}/LICENSE`).trim());
    }
  });
});
