import type { Socket } from 'node:net';
import { fieldLines, type HeadEnd, statusLine } from './answer-head.ts';
import type { OpenAnswer } from './answer-writer.ts';
import type { Page } from './pages.ts';
import type { RequestHead } from './request-head.ts';

/** The request that a page answers, and its connection. */
export interface PageTarget {
  readonly head: RequestHead;
  readonly socket: Socket;
  readonly answer: OpenAnswer;
  readonly headEnd: HeadEnd;
  readonly isLast: boolean;
  /** Aborts when the client has gone or the server closes; a streamed body then ends. */
  readonly ended: AbortSignal;
}

export function isStreamed({ body }: Page): boolean {
  return typeof body !== 'string' && !(body instanceof Uint8Array);
}

/** Sends a page. An iterated body is sent piece by piece, no faster than the client reads. */
export async function writePage(page: Page, target: PageTarget): Promise<void> {
  const { status, headers = {}, body } = page;
  const { head, answer, headEnd, isLast } = target;
  const lines = statusLine(status) + fieldLines(headers);
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const whole = `${lines}Content-Length: ${bytes.length}\r\n${headEnd.text(isLast)}`;
    if (head.method === 'HEAD') answer.write(whole);
    else answer.write(whole, bytes);
    answer.end(isLast);
  } else {
    await stream(lines, body, target);
  }
}

async function stream(
  lines: string,
  body: AsyncIterable<string | Uint8Array>,
  { head, socket, answer, headEnd, isLast, ended }: PageTarget,
): Promise<void> {
  // HTTP/1.0 has no chunks: the end of the connection ends the body.
  const isChunked = !head.isOld;
  const closes = isLast || !isChunked;
  // We take a client that closes its side during a streamed page for gone. Only a write could show otherwise.
  const hangUp = () => socket.destroy();
  socket.once('end', hangUp);
  try {
    answer.write(`${lines}${isChunked ? 'Transfer-Encoding: chunked\r\n' : ''}${headEnd.text(closes)}`);
    if (head.method !== 'HEAD') await writePieces(untilEnded(body, ended), socket, answer, isChunked);
  } finally {
    socket.off('end', hangUp);
  }
  answer.end(closes);
}

async function writePieces(
  body: AsyncIterable<string | Uint8Array>,
  socket: Socket,
  answer: OpenAnswer,
  isChunked: boolean,
): Promise<void> {
  await answer.ready();
  for await (const piece of body) {
    if (socket.destroyed) return;
    const bytes = Buffer.from(piece);
    if (!isChunked) answer.write(bytes);
    else if (bytes.length > 0) {
      // An empty chunk would end the body.
      answer.write(
        Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]),
      );
    }
    await answer.ready();
  }
  if (isChunked) answer.write('0\r\n\r\n');
}

/** The pieces of a body until the signal, whatever the body itself makes of it. */
async function* untilEnded<Piece>(body: AsyncIterable<Piece>, ended: AbortSignal): AsyncGenerator<Piece> {
  let end = () => {};
  const over = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined);
  });
  ended.addEventListener('abort', end, { once: true });
  const pieces = body[Symbol.asyncIterator]();
  try {
    while (!ended.aborted) {
      const next = await Promise.race([pieces.next(), over]);
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  } finally {
    ended.removeEventListener('abort', end);
    // Not awaited: a body that waits for something would keep the connection from closing.
    void Promise.resolve(pieces.return?.()).catch(() => {});
  }
}
