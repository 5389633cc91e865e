export type OnAnswer = (status: number, body: Buffer) => void;

/**
 * Finds the answers in what a keep-alive connection receives. It knows no more of HTTP than servers of DynamoDB's
 * protocol send: a length or chunks, no trailers, no interim answers. The body handed over is valid during the call.
 */
export class AnswerReader {
  readonly #onAnswer: OnAnswer;
  /** What has arrived of an answer that is not complete. */
  #rest: Buffer | undefined;

  constructor(onAnswer: OnAnswer) {
    this.#onAnswer = onAnswer;
  }

  push(received: Buffer): void {
    let bytes = this.#rest === undefined ? received : Buffer.concat([this.#rest, received]);
    while (bytes.length > 0) {
      const taken = this.#take(bytes);
      if (taken === 0) break;
      bytes = bytes.subarray(taken);
    }
    // The memory below is used again for the next piece, so what is kept must be a copy.
    this.#rest = bytes.length === 0 ? undefined : Buffer.from(bytes);
  }

  /** The length of the complete answer that the bytes begin with, after it was handed over; 0 when there is none. */
  #take(bytes: Buffer): number {
    const headEnd = bytes.indexOf('\r\n\r\n');
    if (headEnd === -1) return 0;
    const head = bytes.toString('latin1', 0, headEnd);
    if (!head.startsWith('HTTP/1.1 ')) throw new Error(`Not an answer: ${head.slice(0, 80)}`);
    const status = Number(head.slice(9, 12));
    const start = headEnd + 4;
    const length = contentLength.exec(head);
    if (length !== null) {
      const end = start + Number(length[1]);
      if (end > bytes.length) return 0;
      this.#onAnswer(status, bytes.subarray(start, end));
      return end;
    }
    if (!chunked.test(head)) throw new Error(`An answer of unknown length: ${head}`);
    const chunks = readChunks(bytes, start);
    if (chunks === undefined) return 0;
    this.#onAnswer(status, chunks.body);
    return chunks.end;
  }
}

const contentLength = /\r\ncontent-length: *(\d+)/i;
const chunked = /\r\ntransfer-encoding: *chunked/i;

function readChunks(bytes: Buffer, start: number): { body: Buffer; end: number } | undefined {
  const pieces: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const length = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const dataStart = lineEnd + 2;
    at = dataStart + length + 2;
    if (at > bytes.length) return undefined;
    if (length === 0) return { body: pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces), end: at };
    pieces.push(bytes.subarray(dataStart, dataStart + length));
  }
}
