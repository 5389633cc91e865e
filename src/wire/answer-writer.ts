import type { AnswerBuffer } from './answer-buffer.ts';

/** Bytes, or text whose characters each stand for one byte. */
export type Part = string | Uint8Array;

/** The target of the answers: a socket, or its stand-in in a test. */
export interface Sink {
  /** True when the sink holds more than it can send at once. */
  readonly writableNeedDrain: boolean;
  /** The number of bytes that the sink has not sent yet. */
  readonly writableLength: number;
  write(text: string, encoding: 'latin1'): boolean;
  write(bytes: Uint8Array): boolean;
  cork(): void;
  uncork(): void;
}

/**
 * The answer to one request. Writes after the end of the answer, or after the end of the connection, have no effect.
 */
export class OpenAnswer {
  readonly #writer: AnswerWriter;
  #hasBegun = false;

  constructor(writer: AnswerWriter) {
    this.#writer = writer;
  }

  /** Whether any part of the answer itself was written; 100 Continue does not count. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Writes text before the answer: 100 Continue. */
  writeAhead(text: string): void {
    this.#writer.write(this, text);
  }

  write(head: Part, body?: Part): void {
    this.#hasBegun = true;
    this.#writer.write(this, head, body);
  }

  /** Ends the answer. After the last answer the connection closes. */
  end(isLast: boolean): void {
    this.#writer.end(this, isLast);
  }

  /** Resolves when a further piece would be sent rather than stored, or when nothing can be sent any more. */
  ready(): Promise<void> {
    return this.#writer.ready(this);
  }
}

/** Byte arrays up to this length are copied into the text before them, so that one plain write sends both. */
const copiedBytesMax = 4096;
/** Gathered text is written at the latest when it is longer than this. */
const gatheredMax = 64 * 1024;

/**
 * Writes the answers of one connection, one after the other. It gathers small answers into few writes, because a
 * write costs more than anything else about a small answer.
 */
export class AnswerWriter {
  readonly #sink: Sink;
  readonly #answers: AnswerBuffer;
  readonly #onEnd: (isLast: boolean) => void;
  readonly #onStall: () => void;
  #current: OpenAnswer | undefined;
  /** Resolves the promise of `ready` once the client has read what was written. */
  #wake: (() => void) | undefined;
  #text = '';
  #isGathering = false;

  /**
   * Calls `onEnd` when an answer is complete, and says whether it was the last one. The last answer is written by
   * then. Calls `onStall` when a streamed answer waits for the client to read.
   */
  constructor(
    sink: Sink,
    answers: AnswerBuffer,
    onEnd: (isLast: boolean) => void,
    onStall: () => void = () => {},
  ) {
    this.#sink = sink;
    this.#answers = answers;
    this.#onEnd = onEnd;
    this.#onStall = onStall;
  }

  /** True while an answer is open. */
  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  open(): OpenAnswer {
    if (this.#current !== undefined) throw new Error('The answer before this one has not ended');
    this.#current = new OpenAnswer(this);
    return this.#current;
  }

  /** Gathers small answers until `flush`, instead of writing each one. */
  gather(): void {
    this.#isGathering = true;
  }

  flush(): void {
    this.#isGathering = false;
    this.#writeText();
  }

  /** Drops what is not written yet. Later writes have no effect. */
  close(): void {
    this.#current = undefined;
    this.#text = '';
    this.drained();
  }

  write(answer: OpenAnswer, head: Part, body?: Part): void {
    if (this.#current !== answer) return;
    this.#put(head);
    if (body !== undefined) this.#put(body);
    if (!this.#isGathering) this.#writeText();
  }

  end(answer: OpenAnswer, isLast: boolean): void {
    if (this.#current !== answer) return;
    this.#current = undefined;
    if (isLast) this.#writeText();
    this.#onEnd(isLast);
  }

  ready(answer: OpenAnswer): Promise<void> {
    if (this.#current !== answer || !this.#sink.writableNeedDrain) return Promise.resolve();
    this.#onStall();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Called when the client has read what was written. */
  drained(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #put(part: Part): void {
    if (typeof part === 'string') {
      this.#text += part;
      if (this.#text.length > gatheredMax) this.#writeText();
    } else if (this.#answers.holds(part)) {
      this.#writeJoined(part);
    } else if (part.length <= copiedBytesMax) {
      this.#text += Buffer.prototype.latin1Slice.call(part, 0, part.length);
    } else {
      this.#sink.cork();
      this.#writeText();
      this.#sink.write(part);
      this.#sink.uncork();
    }
  }

  /** Writes a body that lies in the shared buffer at once, together with the text gathered before it. */
  #writeJoined(body: Uint8Array): void {
    const answers = this.#answers;
    if (!answers.hasRoomFor(this.#text)) this.#writeText();
    const whole = answers.withHead(this.#text, body);
    this.#text = '';
    // A client that reads nothing gets copies from its second answer on. Otherwise each answer would keep a whole
    // shared buffer alive.
    if (this.#sink.writableLength > 0) {
      this.#sink.write(Buffer.from(whole));
      return;
    }
    this.#sink.write(whole);
    if (this.#sink.writableLength > 0) answers.giveAway();
  }

  #writeText(): void {
    if (this.#text === '') return;
    const text = this.#text;
    this.#text = '';
    this.#sink.write(text, 'latin1');
  }
}
