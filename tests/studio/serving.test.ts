import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';

const directory = new URL('../../dist/studio/', import.meta.url);

/** The build, as `npm run build` leaves it. */
function gzippedBytes(names: readonly string[]): number {
  return names.reduce(
    (sum, name) => sum + gzipSync(readFileSync(new URL(name, directory)), { level: 9 }).length,
    0,
  );
}

describe('the built studio', () => {
  it('is small: the shell under 60 KB gzipped, everything under 300 KB', () => {
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
    expect(gzippedBytes(names)).toBeLessThan(300 * 1024);
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
