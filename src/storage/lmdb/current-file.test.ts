import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { currentFile, hasData, nextFile, removeFilesBefore } from './current-file.ts';

describe('the file of a data directory that counts', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'stator-test-'));
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });
  const make = (...names: string[]) => {
    for (const name of names) writeFileSync(join(directory, name), '');
  };

  it('is the first one as long as there is none', () => {
    expect(hasData(directory)).toBe(false);
    expect(currentFile(directory)).toBe(`${directory}/stator.mdb`);
    make('stator.mdb-lock', 'stator-2.mdb-part', 'alive-1');
    expect(hasData(directory)).toBe(false);
  });

  it('is the one with the highest number, and numbers are not text', () => {
    make(
      'stator.mdb',
      'stator-9.mdb',
      'stator-10.mdb',
      'stator-11.mdb-part',
      'stator-012.mdb',
      'stator-1.mdb',
    );
    expect(hasData(directory)).toBe(true);
    expect(currentFile(directory)).toBe(`${directory}/stator-10.mdb`);
    expect(nextFile(directory)).toBe(`${directory}/stator-11.mdb`);
  });

  it('stays when the old ones are removed, and so does what is no data', () => {
    make('stator.mdb', 'stator.mdb-lock', 'stator-2.mdb', 'stator-3.mdb', 'stator-3.mdb-lock', 'alive-1');
    removeFilesBefore(directory, `${directory}/stator-3.mdb`);
    expect(readdirSync(directory).sort()).toEqual(['alive-1', 'stator-3.mdb', 'stator-3.mdb-lock']);
  });

  it('is not looked for in what is no directory', () => {
    make('file');
    expect(hasData(join(directory, 'file'))).toBe(false);
    expect(hasData(join(directory, 'nothing'))).toBe(false);
  });
});
