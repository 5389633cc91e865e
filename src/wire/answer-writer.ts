import type { AnswerBuffer } from './answer-buffer.ts';

/** Text whose characters each stand for one byte, or bytes. */
export type Part = string | Uint8Array;

/** Where answers go: a socket, or what takes its place in a test. */
export interface Sink {
  /** It has more than it can send at once. */
  readonly writableNeedDrain: boolean;
  /** How many bytes it has not sent yet. */
  readonly writableLength: number;
  write(text: string, encoding: 'latin1'): boolean;
  write(bytes: Uint8Array): boolean;
  cork(): void;
  uncork(): void;
}

/** The answer to one request. What is written after its end, or after that of its connection, goes nowhere. */
export class OpenAnswer {
  readonly #writer: AnswerWriter;
  #hasBegun = false;

  constructor(writer: AnswerWriter) {
    this.#writer = writer;
  }

  /** Whether anything of the answer itself was written. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Before the answer: 100 Continue. */
  writeAhead(text: string): void {
    this.#writer.write(this, text);
  }

  write(head: Part, body?: Part): void {
    this.#hasBegun = true;
    this.#writer.write(this, head, body);
  }

  /** The connection closes after the last answer. */
  end(isLast: boolean): void {
    this.#writer.end(this, isLast);
  }

  /** Resolves when a further piece would be sent rather than stored, or when nothing can be sent any more. */
  ready(): Promise<void> {
    return this.#writer.ready(this);
  }
}

/** Up to this size bytes are copied into the text before them, which one plain write then sends. */
const copiedBytesMax = 4096;
/** Gathered text is handed on at the latest at this length. */
const gatheredMax = 64 * 1024;

/**
 * Writes the answers of one connection, one after the other, and gathers what is small into few writes: a write costs
 * more than anything else about a small answer.
 */
export class AnswerWriter {
  readonly #sink: Sink;
  readonly #answers: AnswerBuffer;
  readonly #onEnd: (isLast: boolean) => void;
  #current: OpenAnswer | undefined;
  /** Who waits for the client to take what was written. */
  #wake: (() => void) | undefined;
  #text = '';
  #isGathering = false;

  /** `onEnd` is told when an answer is complete, and whether it was the last; that one is out by then. */
  constructor(sink: Sink, answers: AnswerBuffer, onEnd: (isLast: boolean) => void) {
    this.#sink = sink;
    this.#answers = answers;
    this.#onEnd = onEnd;
  }

  /** A request has no complete answer yet. */
  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  open(): OpenAnswer {
    if (this.#current !== undefined) throw new Error('The answer before this one has not ended');
    this.#current = new OpenAnswer(this);
    return this.#current;
  }

  /** Until `flush` small answers are put together instead of being written one by one. */
  gather(): void {
    this.#isGathering = true;
  }

  flush(): void {
    this.#isGathering = false;
    this.#writeText();
  }

  /** Nothing is sent any more. */
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
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** The client has taken what was written. */
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

  /** A body that lies in the memory of all answers goes out at once, with what was gathered before it. */
  #writeJoined(body: Uint8Array): void {
    const answers = this.#answers;
    if (!answers.hasRoomFor(this.#text)) this.#writeText();
    const whole = answers.withHead(this.#text, body);
    this.#text = '';
    // A client that takes nothing gets copies from its second answer on, or each would keep all of the memory.
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
