import { expect, test } from 'vitest';
import { StoreError } from '../store-error.ts';
import { breaksConnection, failureOf, troubleOf } from './sql-failure.ts';

function serverError(code: string, severity = 'ERROR'): Error {
  return Object.assign(new Error(`SQLSTATE ${code}`), { code, severity });
}

test.each([
  ['40001', 'conflict'],
  ['40P01', 'conflict'],
  ['23505', 'conflict'],
  ['40003', 'lost'],
  ['57014', 'lost'],
  ['57P01', 'lost'],
  ['08006', 'lost'],
  ['XX000', 'lost'],
  ['XX001', 'corrupt'],
  ['53100', 'full'],
  ['53200', 'conflict'],
  ['55P03', 'conflict'],
  ['53300', 'unavailable'],
  ['25006', 'unavailable'],
  ['0A000', 'unavailable'],
  ['58030', 'unavailable'],
  ['42601', 'bug'],
])('SQLSTATE %s means %s', (code, failure) => {
  expect(failureOf(serverError(code))).toBe(failure);
});

test('an error that ends the session leaves the outcome open, whatever its code', () => {
  expect(failureOf(serverError('53100', 'PANIC'))).toBe('lost');
  expect(breaksConnection(serverError('53100', 'PANIC'))).toBe(true);
  expect(breaksConnection(serverError('40001'))).toBe(false);
});

test('a server that takes no writes loses its connection, and nothing of the unit was written', () => {
  for (const code of ['25006', '0A000']) {
    expect(breaksConnection(serverError(code))).toBe(true);
    expect(troubleOf(serverError(code))).toMatchObject({ trouble: 'unavailable' });
  }
});

test('a socket error is a lost connection, a TypeError is our bug', () => {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  expect(failureOf(reset)).toBe('lost');
  expect(troubleOf(reset)).toMatchObject({ trouble: 'unavailable', cause: reset });
  const bug = new TypeError('undefined is not a function');
  expect(troubleOf(bug)).toBe(bug);
});

test('a trouble that is already named stays as it is', () => {
  const closed = new StoreError('closed', 'closed');
  expect(troubleOf(closed)).toBe(closed);
});
