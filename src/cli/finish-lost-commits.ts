import type { ToWorker } from './worker-messages.ts';

/** The messages of the primary; `process` in a worker. */
export interface PrimaryMessages {
  on(event: 'message', take: (message: ToWorker) => void): unknown;
  off(event: 'message', take: (message: ToWorker) => void): unknown;
}

/**
 * Finishes the commit of a worker that was killed, before it can appear to readers at some later time. Answers what ends
 * it.
 */
export function finishLostCommits(
  messages: PrimaryMessages,
  store: { finishLostCommit?(): unknown },
): () => void {
  const take = (message: ToWorker) => {
    if (!('workerEnded' in message)) return;
    // If the store cannot be written to, the next write says why.
    Promise.resolve(store.finishLostCommit?.()).catch(() => {});
  };
  messages.on('message', take);
  return () => messages.off('message', take);
}
