import type { JsonPiece } from '../operations/operation.ts';
import { bodyBytesAtMost, writeBody } from './reply-body.ts';

/** The room before the body, for the head of the answer. */
const headRoom = 1_024;
const bodyRoom = 64 * 1024;

/**
 * Joins the head and the body of an answer in a buffer that all answers of a server share. The server sends each
 * answer before it begins the next, so no answer needs a string or a buffer of its own. The bytes that `join` returns
 * are valid until its next call.
 */
export class AnswerBuffer {
  #bytes = Buffer.allocUnsafeSlow(headRoom + bodyRoom);

  /** Joins the pieces into one body. A body that is too long for the shared buffer gets a buffer of its own. */
  join(pieces: readonly JsonPiece[]): Uint8Array {
    const bytesMax = bodyBytesAtMost(pieces);
    const [bytes, start] =
      bytesMax > bodyRoom ? [Buffer.allocUnsafeSlow(bytesMax), 0] : [this.#bytes, headRoom];
    return bytes.subarray(start, writeBody(pieces, bytes, start));
  }

  /** Tells whether a body lies in the shared buffer, so that the next answer overwrites it. */
  holds(body: Uint8Array): boolean {
    return body.buffer === this.#bytes.buffer;
  }

  hasRoomFor(head: string): boolean {
    return head.length <= headRoom;
  }

  /** Writes a head in front of a body in the shared buffer. Each character of the head stands for one byte. */
  withHead(head: string, body: Uint8Array): Uint8Array {
    const start = headRoom - head.length;
    this.#bytes.write(head, start, 'latin1');
    return this.#bytes.subarray(start, headRoom + body.length);
  }

  /** Gives the buffer away, because its bytes are still to be sent. The next answer gets a new buffer. */
  giveAway(): void {
    this.#bytes = Buffer.allocUnsafeSlow(headRoom + bodyRoom);
  }
}
