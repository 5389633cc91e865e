import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AnswerWatch } from './answer-watch.ts';
import type { Connection } from './connection.ts';
import type { SignOfLife } from './connector.ts';

const server = { system: '7', timeline: 1, started: '1.5' };

/** A statement that waits until its connection is abandoned or it is answered. */
function statement(at = server) {
  let abandon: (reason: Error) => void = () => {};
  let answer: (value: string) => void = () => {};
  const result = new Promise<string>((resolve, reject) => {
    answer = resolve;
    abandon = reject;
  });
  const connection = { host: { name: 'db' }, server: at, abandon: (reason: Error) => abandon(reason) };
  return { connection: connection as unknown as Connection, answer, send: () => result };
}

function watchOver(sign: () => SignOfLife) {
  const asked = vi.fn(async () => sign());
  return {
    asked,
    watch: new AnswerWatch({ answerMsMax: 2_000, statementMsMax: 35_000, signOfLife: asked }),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('a statement that is answered in time costs no question, and leaves no timer', async () => {
  const { watch, asked } = watchOver(() => ({ alive: false, reason: 'gone' }));
  const one = statement();
  const result = watch.run(one.connection, one.send);
  await vi.advanceTimersByTimeAsync(1_900);
  one.answer('rows');
  expect(await result).toBe('rows');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('a slow statement of a living server waits on, and the server is asked now and then', async () => {
  const { watch, asked } = watchOver(() => ({ alive: true, server }));
  const one = statement();
  const result = watch.run(one.connection, one.send);
  await vi.advanceTimersByTimeAsync(30_000);
  one.answer('rows');
  expect(await result).toBe('rows');
  expect(asked.mock.calls.length).toBeGreaterThan(5);
  expect(asked.mock.calls.length).toBeLessThan(15);
});

test('a statement that a living server does not end is abandoned all the same', async () => {
  const { watch } = watchOver(() => ({ alive: true, server }));
  const one = statement();
  const result = expect(watch.run(one.connection, one.send)).rejects.toThrow(/^db did not answer for 35/);
  await vi.advanceTimersByTimeAsync(36_000);
  await result;
});

test('without a sign of life, those that are late are abandoned, and no others', async () => {
  const { watch } = watchOver(() => ({ alive: false, reason: 'nobody is there' }));
  const late = statement();
  const young = statement();
  const result = expect(watch.run(late.connection, late.send)).rejects.toThrow('nobody is there');
  await vi.advanceTimersByTimeAsync(1_900);
  const answered = watch.run(young.connection, young.send);
  await vi.advanceTimersByTimeAsync(700);
  await result;
  young.answer('rows');
  expect(await answered).toBe('rows');
});

test('once another server is the primary, statements of the one before are abandoned', async () => {
  const promoted = { ...server, timeline: 2 };
  const { watch } = watchOver(() => ({ alive: true, server: promoted }));
  const old = statement();
  const slow = statement(promoted);
  const result = expect(watch.run(old.connection, old.send)).rejects.toThrow('another server is the primary');
  const answered = watch.run(slow.connection, slow.send);
  await vi.advanceTimersByTimeAsync(2_600);
  await result;
  slow.answer('rows');
  expect(await answered).toBe('rows');
});
