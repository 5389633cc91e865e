import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { apiPages } from '../../scripts/api/reference.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The build's declarations, which programs compile against, are what the reference shows. */
it('the API reference is current: write it anew with `npm run api`', () => {
  const pages = apiPages((path) => readFileSync(`${root}dist/${path}.d.ts`, 'utf8'));
  expect([...pages.keys()].sort()).toEqual(readdirSync(`${root}docs/api`).sort());
  for (const [name, page] of pages) {
    const current = readFileSync(`${root}docs/api/${name}`, 'utf8') === page;
    expect(current, `docs/api/${name}`).toBe(true);
  }
});
