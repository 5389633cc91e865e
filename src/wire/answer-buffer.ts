import type { JsonPiece } from './dispatch.ts';
import { bodyBytesAtMost, writeBody } from './reply-body.ts';

/** What is before a body belongs to its head. */
const headRoom = 1_024;
const bodyRoom = 64 * 1024;

/**
 * Puts head and body of an answer together, in memory that all answers of a server use one after the other: each is
 * sent before the next is begun, and no text or buffer is made for it alone. What `join` gives out is good until it
 * is called again.
 */
export class AnswerBuffer {
  #bytes = Buffer.allocUnsafeSlow(headRoom + bodyRoom);

  /** The body that the pieces make. One that is too long for here gets memory of its own. */
  join(pieces: readonly JsonPiece[]): Uint8Array {
    const bytesMax = bodyBytesAtMost(pieces);
    const [bytes, start] =
      bytesMax > bodyRoom ? [Buffer.allocUnsafeSlow(bytesMax), 0] : [this.#bytes, headRoom];
    return bytes.subarray(start, writeBody(pieces, bytes, start));
  }

  /** Whether a body lies here, and so will soon be another. */
  holds(body: Uint8Array): boolean {
    return body.buffer === this.#bytes.buffer;
  }

  hasRoomFor(head: string): boolean {
    return head.length <= headRoom;
  }

  /** A body that lies here, with text before it whose characters each stand for one byte. */
  withHead(head: string, body: Uint8Array): Uint8Array {
    const start = headRoom - head.length;
    this.#bytes.write(head, start, 'latin1');
    return this.#bytes.subarray(start, headRoom + body.length);
  }

  /** What was given out is still to be sent: the next answer gets other memory. */
  giveAway(): void {
    this.#bytes = Buffer.allocUnsafeSlow(headRoom + bodyRoom);
  }
}
