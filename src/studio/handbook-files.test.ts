import { expect, it } from 'vitest';
import { HandbookFiles } from './handbook-files.ts';

it('has the pages in the order of reading, and the pictures', () => {
  const handbook = new HandbookFiles();
  expect(handbook.names.slice(0, 4)).toEqual(['README', 'method', 'items-and-keys', 'sort-keys']);
  expect(handbook.page('method')).toMatch(/^# Method/);
  expect(handbook.picture('architecture')).toMatch(/^<svg /);
});

it('answers nothing but what it has listed', () => {
  const handbook = new HandbookFiles();
  for (const name of ['../README', 'pictures', 'architecture', ''])
    expect(handbook.page(name)).toBeUndefined();
  for (const name of ['../../package', 'method', '']) expect(handbook.picture(name)).toBeUndefined();
});
