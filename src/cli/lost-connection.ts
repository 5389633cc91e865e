import type { Worker } from 'node:cluster';

/**
 * Node's cluster gives a worker one connection at a time and waits for the word that it has it. When the worker dies
 * in between, Node (seen in 20.20) forgets that connection without closing it, and its client would wait forever.
 * Here it is closed, so that the client is told and tries again.
 *
 * Node sends the connection, as `{ act: 'newconn', seq }`, with the same `send` as everybody, and the word is an
 * `internalMessage` with `ack` the same number. Should a later Node do it otherwise, nothing is found here and nothing
 * is done.
 */
export function closeLostConnection({ process: child }: Worker): void {
  let underway: { readonly seq: unknown; readonly connection: Closable } | undefined;
  const send = child.send as (...given: unknown[]) => boolean;
  child.send = (...given: unknown[]) => {
    const [message, handle] = given as [Internal | undefined, unknown];
    if (message?.act === 'newconn' && isClosable(handle)) underway = { seq: message.seq, connection: handle };
    return send.apply(child, given);
  };
  child.on('internalMessage', (message: Internal) => {
    if (message.ack !== undefined && message.ack === underway?.seq) underway = undefined;
  });
  child.once('disconnect', () => underway?.connection.close());
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
