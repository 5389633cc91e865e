import type { ChildProcess } from 'node:child_process';

/**
 * Node's cluster gives a worker one connection at a time and waits for the word that it has it. When the worker dies
 * in between, Node (seen in 20.20) neither gives that connection to another nor closes it, and its client would wait
 * forever. Here it is closed, so that the client is told and tries again.
 *
 * Node sends the connection with the same `send` as everybody, as `{ act: 'newconn', seq }`, and the word is an
 * `internalMessage` with the number as its `ack`. Should a later Node do it otherwise, nothing is found here and
 * nothing is done.
 */
export function closeLostConnection(worker: ChildProcess): void {
  let underway: { readonly seq: unknown; readonly connection: Closable } | undefined;
  const send = worker.send as (...given: unknown[]) => boolean;
  worker.send = (...given: unknown[]) => {
    const [message, handle] = given as [Internal | undefined, unknown];
    if (message?.act === 'newconn' && isClosable(handle)) underway = { seq: message.seq, connection: handle };
    return send.apply(worker, given);
  };
  worker.on('internalMessage', (message: Internal) => {
    if (message.ack !== undefined && message.ack === underway?.seq) underway = undefined;
  });
  worker.once('close', () => underway?.connection.close());
}

interface Internal {
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
}

interface Closable {
  close(): void;
}

function isClosable(handle: unknown): handle is Closable {
  return (
    typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function'
  );
}
