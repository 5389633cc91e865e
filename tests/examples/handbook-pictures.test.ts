import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawings } from '../../scripts/handbook-pictures/drawings.ts';
import { standaloneSvg } from '../../scripts/handbook-pictures/paper.ts';
import { root } from './page-blocks.ts';

/** `npm run draw` writes the pictures; here they are drawn again from what the engine does now. */
const folder = `${root}/docs/handbook/pictures`;

describe('the pictures of the handbook', () => {
  it.each(drawings)('$file is current', async ({ file, draw }) => {
    expect(standaloneSvg(await draw())).toBe(readFileSync(`${folder}/${file}`, 'utf8'));
  });

  it('are all drawn, shown on a page, and small', () => {
    const files = readdirSync(folder);
    expect(files.sort()).toEqual(drawings.map(({ file }) => file).sort());
    const pages = readdirSync(`${root}/docs/handbook`).filter((name) => name.endsWith('.md'));
    const text = pages.map((name) => readFileSync(`${root}/docs/handbook/${name}`, 'utf8')).join('\n');
    expect(files.filter((file) => !text.includes(`](pictures/${file})`))).toEqual([]);
    for (const file of files) expect(readFileSync(`${folder}/${file}`).length).toBeLessThan(24_000);
  });
});
