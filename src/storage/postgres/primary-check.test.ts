import { expect, test } from 'vitest';
import { cannotAnswer, readStanding, refusalOf, supersedes } from './primary-check.ts';

const first = { system: '7', timeline: 1, started: '100.5' };
const promoted = { system: '7', timeline: 2, started: '90.5' };

test('a row is read as far as the engine answered', () => {
  expect(readStanding([false, 'off', '7', '0000000A', '100.5'])).toEqual({
    standby: false,
    readOnly: false,
    server: { system: '7', timeline: 10, started: '100.5' },
  });
  expect(readStanding([true, 'on', '7', null, '100.5'])).toEqual({
    standby: true,
    readOnly: true,
    server: undefined,
  });
  expect(readStanding([false, 'off'])).toEqual({ standby: false, readOnly: false, server: undefined });
});

test('a standby is refused, whatever the URL asks for', () => {
  const standing = { standby: true, readOnly: true, server: undefined };
  expect(refusalOf(standing, 'primary', undefined)).toContain('is a standby');
  expect(refusalOf(standing, 'read-write', undefined)).toContain('is a standby');
});

test('a read-only primary is refused only where read-write was asked for', () => {
  const standing = { standby: false, readOnly: true, server: first };
  expect(refusalOf(standing, 'primary', undefined)).toBeUndefined();
  expect(refusalOf(standing, 'read-write', undefined)).toContain('takes no writes');
});

test('a primary whose successor was seen is refused', () => {
  const standing = { standby: false, readOnly: false, server: first };
  expect(refusalOf(standing, 'primary', promoted)).toContain('timeline 1');
  expect(refusalOf({ ...standing, server: promoted }, 'primary', first)).toBeUndefined();
  expect(refusalOf({ ...standing, server: { ...first, system: '8' } }, 'primary', promoted)).toBeUndefined();
});

test('a server is superseded by a promotion and by its own restart, never by a stranger', () => {
  expect(supersedes(promoted, first)).toBe(true);
  expect(supersedes(first, promoted)).toBe(false);
  expect(supersedes({ ...first, started: '200.5' }, first)).toBe(true);
  expect(supersedes(first, first)).toBe(false);
  expect(supersedes({ ...promoted, system: '8' }, first)).toBe(false);
  expect(supersedes(undefined, first)).toBe(false);
});

test('an engine that lacks a function is told from one that fails', () => {
  const failure = (code: string, severity: string) => Object.assign(new Error(), { code, severity });
  expect(cannotAnswer(failure('42883', 'ERROR'))).toBe(true);
  expect(cannotAnswer(failure('57P01', 'FATAL'))).toBe(false);
  expect(cannotAnswer(new Error('read ECONNRESET'))).toBe(false);
});
