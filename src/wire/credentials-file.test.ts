import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CredentialsFile } from './credentials-file.ts';

let directory: string;
let path: string;
let lines: string[];
let nowMs: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'stator-credentials-'));
  path = join(directory, 'keys');
  lines = [];
  nowMs = 0;
});

afterEach(() => rmSync(directory, { recursive: true }));

const profile = (id: string, secret = 's') =>
  `[${id}]\naws_access_key_id = ${id}\naws_secret_access_key = ${secret}\n`;

function write(text: string, mode = 0o600): void {
  // A new file under the name, as editors and secret stores do it.
  writeFileSync(`${path}.new`, text);
  chmodSync(`${path}.new`, mode);
  renameSync(`${path}.new`, path);
}

function open(isPrivate = true, platform = 'linux'): CredentialsFile {
  return new CredentialsFile({
    ...{ path, isPrivate, platform, stopwatchMs: () => nowMs, log: (line) => lines.push(line) },
  });
}

describe('a credentials file', () => {
  it('is read again when it has changed, at most once a second', () => {
    write(profile('A') + profile('B'));
    const file = open();
    expect(file.find('A')).toBeDefined();
    write(profile('B', 'other') + profile('C'));
    nowMs = 999;
    expect(file.find('A')).toBeDefined();
    nowMs = 1_000;
    expect(file.find('A')).toBeUndefined();
    expect(file.find('B')?.secretAccessKey).toBe('other');
    expect(file.find('C')).toBeDefined();
    expect(lines).toEqual(['The credentials file has changed; its keys are in force.']);
    nowMs = 5_000;
    file.find('A');
    expect(lines).toHaveLength(1);
  });

  it('keeps the keys of before while it is broken or away, and says so once', () => {
    write(profile('A'));
    const file = open();
    write('nonsense');
    for (const at of [1_000, 2_000, 3_000]) {
      nowMs = at;
      expect(file.find('A')).toBeDefined();
    }
    expect(lines).toEqual([
      `${path}: Line 1 is neither [profile] nor name = value. The keys as they were before stay in force.`,
    ]);
    unlinkSync(path);
    for (const at of [4_000, 5_000]) {
      nowMs = at;
      expect(file.find('A')).toBeDefined();
    }
    expect(lines).toHaveLength(2);
    write(profile('B'));
    nowMs = 6_000;
    expect(file.find('A')).toBeUndefined();
    expect(file.find('B')).toBeDefined();
  });

  it('is refused if it is no file of a sensible size, and the process goes on', () => {
    write(profile('A'));
    const file = open();
    const replacements: Record<string, () => void> = {
      'it is not a file': () => execFileSync('mkfifo', ['-m', '600', path]),
      'it is larger than 1048576 bytes': () => {
        write('');
        truncateSync(path, 2 ** 32);
      },
      ELOOP: () => symlinkSync(path, path),
    };
    for (const [index, [why, replace]] of Object.entries(replacements).entries()) {
      unlinkSync(path);
      replace();
      nowMs = 1_000 * (index + 1);
      expect(file.find('A')).toBeDefined();
      expect(lines.at(-1)).toContain(why);
      expect(() => open()).toThrow(why);
    }
  });

  it('must be its owner’s alone where signatures are verified, now and later', () => {
    for (const mode of [0o640, 0o604, 0o620, 0o601]) {
      write(profile('A'), mode);
      expect(() => open()).toThrow(`chmod 600 ${path}`);
      expect(open(false).find('A')).toBeDefined();
      expect(open(true, 'win32').find('A')).toBeDefined();
    }
    write(profile('A'));
    const file = open();
    write(profile('B'), 0o644);
    nowMs = 1_000;
    expect(file.find('B')).toBeUndefined();
    expect(file.find('A')).toBeDefined();
    expect(lines.join()).toContain('mode 644');
    chmodSync(path, 0o600);
    nowMs = 2_000;
    expect(file.find('A')).toBeUndefined();
    expect(file.find('B')).toBeDefined();
  });
});
