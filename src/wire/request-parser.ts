import { requestLimits } from '../model/limits.ts';
import { ChunkedBody } from './chunked-body.ts';
import { HeadReader, isHopeless, type RequestHead } from './request-head.ts';

const { headersBytesMax, requestLineBytesMax } = requestLimits;
const headBytesMax = requestLineBytesMax + headersBytesMax;
/** Many tiny fields cost more than their bytes. */
const fieldsMax = 1000;

const noBytes = Buffer.alloc(0);
const emptyLine = Buffer.from('\r\n\r\n');
const decimal = /^[0-9]{1,15}$/;

/**
 * The next part of the input: a head, a piece of its body, the end of the request; `hungry` if more bytes are needed.
 */
export type Found = 'hungry' | 'head' | 'piece' | 'end' | 'malformed';

/**
 * Parses the requests of one connection from input of any portions. The caller pushes bytes and calls `next` for one
 * part at a time, so it can stop and go on later. After `malformed` nobody can tell where a further request would
 * begin, so `malformed` is the last result.
 */
export class RequestParser {
  readonly #heads: HeadReader;
  #head: RequestHead | undefined;
  #piece: Uint8Array = noBytes;
  #input: Buffer = noBytes;
  #at = 0;
  /** The length of the beginning of a head that was searched and does not contain its end. */
  #searched = 0;
  #part: 'head' | 'sized body' | 'chunks' | 'nothing' = 'head';
  #left = 0;
  #chunks: ChunkedBody | undefined;

  /** Connections with similar clients should share one reader of heads. */
  constructor(heads = new HeadReader()) {
    this.#heads = heads;
  }

  /** The head that `next` found last. */
  get head(): RequestHead {
    return this.#head!;
  }

  /** The piece that `next` found last. It shares its bytes with the pushed input. */
  get piece(): Uint8Array {
    return this.#piece;
  }

  /** True between two requests, before the first byte of the next. */
  get isIdle(): boolean {
    return this.#part === 'head' && this.#at === this.#input.length;
  }

  get isInBody(): boolean {
    return this.#part === 'sized body' || this.#part === 'chunks';
  }

  /** Whether the rest of the body is in the input already. */
  get isBodyHere(): boolean {
    return this.#part === 'sized body' && this.#left <= this.#input.length - this.#at;
  }

  /** The bytes that `keep` copied and `next` has not read. */
  get heldBytes(): number {
    return this.#input.length - this.#at;
  }

  push(bytes: Buffer): void {
    this.#input =
      this.#at === this.#input.length ? bytes : Buffer.concat([this.#input.subarray(this.#at), bytes]);
    this.#at = 0;
  }

  /** Copies the unread input, because the caller is about to overwrite it. */
  keep(): void {
    if (this.#at === this.#input.length) return;
    this.#input = Buffer.from(this.#input.subarray(this.#at));
    this.#at = 0;
  }

  next(): Found {
    switch (this.#part) {
      case 'head':
        return this.#readHead();
      case 'sized body':
        return this.#readSized();
      case 'chunks':
        return this.#readChunks();
      case 'nothing':
        return 'malformed';
    }
  }

  #readHead(): Found {
    const input = this.#input;
    // Empty lines before a request are allowed. Some old clients send one after a body.
    while (input[this.#at] === 0x0d && input[this.#at + 1] === 0x0a) {
      this.#at += 2;
      this.#searched = 0;
    }
    const at = this.#at;
    if (at === input.length) return 'hungry';
    const end = input.indexOf(emptyLine, at + Math.max(0, this.#searched - 3));
    if ((end === -1 ? input.length : end) - at > headBytesMax) return this.#refuse();
    if (end === -1) return this.#expectMore();
    this.#searched = 0;
    this.#at = end + 4;
    const head = this.#heads.read(input, at, end);
    if (head === undefined || isTooLarge(head) || !this.#findBody(head)) return this.#refuse();
    this.#head = head;
    return 'head';
  }

  #expectMore(): Found {
    const length = this.#input.length - this.#at;
    // Checks the whole beginning again only after it has grown considerably. Otherwise a client that sends single
    // bytes would make us read it thousands of times.
    if (this.#searched === 0 || length < 256 || length >= 2 * this.#searched) {
      if (isHopeless(this.#input.toString('latin1', this.#at, this.#input.length))) return this.#refuse();
    }
    this.#searched = length;
    return 'hungry';
  }

  /** Finds the framing of the body. Returns false if it is given twice or in an unknown way. */
  #findBody({ fields, isOld }: RequestHead): boolean {
    const { contentLength, transferEncoding } = fields;
    if (fields.isAmbiguous) return false;
    if (fields.host === undefined && !isOld) return false;
    if (transferEncoding !== undefined) {
      if (contentLength !== undefined || isOld || transferEncoding.toLowerCase() !== 'chunked') return false;
      this.#chunks = new ChunkedBody();
      this.#part = 'chunks';
      return true;
    }
    if (contentLength !== undefined && !decimal.test(contentLength)) return false;
    this.#left = contentLength === undefined ? 0 : Number(contentLength);
    this.#part = 'sized body';
    return true;
  }

  #readSized(): Found {
    if (this.#left === 0) return this.#finish();
    const length = Math.min(this.#left, this.#input.length - this.#at);
    if (length === 0) return 'hungry';
    this.#piece = this.#input.subarray(this.#at, this.#at + length);
    this.#at += length;
    this.#left -= length;
    return 'piece';
  }

  #readChunks(): Found {
    const chunks = this.#chunks!;
    chunks.at = this.#at;
    const found = chunks.next(this.#input);
    this.#at = chunks.at;
    if (found === 'malformed') return this.#refuse();
    if (found === 'end') return this.#finish();
    if (found === 'piece') this.#piece = chunks.piece;
    return found;
  }

  #finish(): Found {
    this.#part = 'head';
    this.#chunks = undefined;
    // The parser of an idle connection should not keep the last body alive.
    this.#piece = noBytes;
    if (this.#at === this.#input.length) {
      this.#input = noBytes;
      this.#at = 0;
    }
    return 'end';
  }

  #refuse(): Found {
    this.#part = 'nothing';
    this.#input = noBytes;
    this.#at = 0;
    return 'malformed';
  }
}

function isTooLarge({ url, fields }: RequestHead): boolean {
  return (
    url.length > requestLineBytesMax || fields.size > headersBytesMax || fields.raw.length > 2 * fieldsMax
  );
}
