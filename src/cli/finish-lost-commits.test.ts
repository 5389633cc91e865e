import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { finishLostCommits } from './finish-lost-commits.ts';

it('finishes a commit for each worker that ended, and for nothing else', async () => {
  const messages = new EventEmitter();
  let finished = 0;
  const end = finishLostCommits(messages, {
    // A store that cannot be written to must not end the worker.
    finishLostCommit: () => (++finished === 1 ? Promise.reject(new Error('full')) : undefined),
  });
  for (const message of [{ workerEnded: 2 }, { stop: true }, { metricsWanted: 1 }, { workerEnded: 1 }])
    messages.emit('message', message);
  await new Promise((resolve) => setImmediate(resolve));
  expect(finished).toBe(2);
  end();
  messages.emit('message', { workerEnded: 2 });
  expect(finished).toBe(2);
});

it('asks nothing of a store that has no such commits', () => {
  const messages = new EventEmitter();
  finishLostCommits(messages, {});
  expect(() => messages.emit('message', { workerEnded: 1 })).not.toThrow();
});
