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

/** A place in the line: what is written here is sent when all earlier turns have ended. */
export class Turn {
  readonly #line: AnswerLine;
  #hasBegun = false;
  /** The rest is for the line alone: what waits for earlier turns, and who waits for this one to be heard. */
  held: Part[] | undefined;
  ending: 'last' | 'not last' | undefined;
  wake: (() => void) | undefined;

  constructor(line: AnswerLine) {
    this.#line = line;
  }

  /** Whether anything of the answer itself was written. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get isNewest(): boolean {
    return this.#line.newest === this;
  }

  /** Before the answer: 100 Continue. */
  writeAhead(text: string): void {
    this.#line.write(this, text);
  }

  write(head: Part, body?: Part): void {
    this.#hasBegun = true;
    this.#line.write(this, head, body);
  }

  /** The connection closes after the last answer. */
  end(isLast: boolean): void {
    this.ending = isLast ? 'last' : 'not last';
    this.#line.ended(this);
  }

  /** Resolves when a further piece would be sent rather than stored, or when nothing can be sent any more. */
  ready(): Promise<void> {
    if (this.#line.isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.wake = resolve;
      this.#line.wakeFirst();
    });
  }
}

/** Up to this size bytes are copied into the text before them, which one plain write then sends. */
const copiedBytesMax = 4096;
/** Gathered text is handed on at the latest at this length. */
const gatheredMax = 64 * 1024;

/**
 * Keeps the answers of one connection in the order of its requests, whatever the order in which they are ready,
 * and gathers what is small into few writes: a write costs more than anything else about a small answer.
 */
export class AnswerLine {
  readonly #sink: Sink;
  readonly #answers: AnswerBuffer;
  readonly #onEnd: (isLast: boolean) => void;
  #turns: Turn[] = [];
  #text = '';
  #isGathering = false;
  #isClosed = false;

  /** `onEnd` is told when answers are out, and whether the last was among them. */
  constructor(sink: Sink, answers: AnswerBuffer, onEnd: (isLast: boolean) => void) {
    this.#sink = sink;
    this.#answers = answers;
    this.#onEnd = onEnd;
  }

  /** How many answers are not out. */
  get length(): number {
    return this.#turns.length;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get newest(): Turn | undefined {
    return this.#turns.at(-1);
  }

  open(): Turn {
    const turn = new Turn(this);
    this.#turns.push(turn);
    return turn;
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
    this.#isClosed = true;
    for (const turn of this.#turns) turn.wake?.();
    this.#turns = [];
    this.#text = '';
  }

  write(turn: Turn, head: Part, body?: Part): void {
    if (this.#isClosed) return;
    if (this.#turns[0] === turn) {
      this.#put(head);
      if (body !== undefined) this.#put(body);
      if (!this.#isGathering) this.#writeText();
    } else {
      this.#hold(turn, head);
      if (body !== undefined) this.#hold(turn, body);
    }
  }

  ended(turn: Turn): void {
    if (this.#turns[0] !== turn) return;
    while (this.#turns[0]?.ending !== undefined) {
      if (this.#turns.shift()!.ending === 'last') {
        this.#writeText();
        this.#onEnd(true);
        return;
      }
      this.#putHeld();
    }
    if (!this.#isGathering) this.#writeText();
    this.wakeFirst();
    this.#onEnd(false);
  }

  /** Tells the first in line, if it waits, that it may go on. */
  wakeFirst(): void {
    const first = this.#turns[0];
    if (this.#sink.writableNeedDrain || first?.wake === undefined) return;
    const { wake } = first;
    first.wake = undefined;
    wake();
  }

  #hold(turn: Turn, part: Part): void {
    turn.held ??= [];
    turn.held.push(typeof part !== 'string' && this.#answers.holds(part) ? Buffer.from(part) : part);
  }

  #putHeld(): void {
    const turn = this.#turns[0];
    if (turn?.held === undefined) return;
    for (const part of turn.held) this.#put(part);
    turn.held = undefined;
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
