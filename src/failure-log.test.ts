import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FailureLog } from './failure-log.ts';
import { StoreError } from './storage/store-error.ts';

let logged: string[];
const newLog = (debug = false) => new FailureLog({ debug, log: (line) => logged.push(line) });
const gone = () => new StoreError('unavailable', 'The server\n is gone', new Error('ECONNREFUSED'));

beforeEach(() => {
  logged = [];
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the log of failed requests', () => {
  it('has one line for trouble with the store, and no stack', () => {
    newLog().add('PutItem failed, request 1', gone());
    expect(logged).toEqual(['PutItem failed, request 1: The server is gone']);
    vi.advanceTimersByTime(5_000);
    expect(logged).toHaveLength(1);
  });

  it('counts further requests of the same trouble, a second at a time', () => {
    const log = newLog();
    for (let i = 1; i <= 500; i++) log.add(`PutItem failed, request ${i}`, gone());
    log.add('Scan failed, request 501', new StoreError('full', 'The disk is full'));
    expect(logged.splice(0)).toEqual([
      'PutItem failed, request 1: The server is gone',
      'Scan failed, request 501: The disk is full',
    ]);
    vi.advanceTimersByTime(1_000);
    expect(logged.splice(0)).toEqual([
      '499 more requests failed within a second (unavailable): The server is gone',
    ]);
    for (const id of [502, 503]) log.add(`PutItem failed, request ${id}`, gone());
    vi.advanceTimersByTime(1_000);
    expect(logged).toEqual([
      'PutItem failed, request 502: The server is gone',
      'One more request failed within a second (unavailable): The server is gone',
    ]);
  });

  it('adds the stack for whoever debugs, at most once a second', () => {
    const log = newLog(true);
    log.add('PutItem failed, request 1', gone());
    log.add('Scan failed, request 2', new StoreError('full', 'The disk is full'));
    expect(logged).toEqual([
      expect.stringMatching(
        /^PutItem failed.*gone\nStoreError: [\s\S]*\n +at [\s\S]*Caused by Error: ECONNREFUSED\n +at /,
      ),
      'Scan failed, request 2: The disk is full',
    ]);
    vi.advanceTimersByTime(1_000);
    log.add('PutItem failed, request 3', gone());
    expect(logged[2]).toMatch(/\n +at /);
  });

  it('has the stack of every defect', () => {
    const log = newLog();
    for (let i = 0; i < 3; i++) log.add('PutItem failed, request 1', new TypeError('broken'));
    log.add('PutItem failed, request 1', 'thrown');
    expect(logged).toEqual([
      ...Array(3).fill(expect.stringMatching(/^PutItem failed, request 1: TypeError: broken\n +at /)),
      'PutItem failed, request 1: thrown',
    ]);
  });
});
