import type { Socket } from 'node:net';
import { requestLimits } from '../model/limits.ts';
import { statusLine } from './answer-head.ts';
import { AnswerWriter } from './answer-writer.ts';
import { Exchange, type ExchangeDeps } from './http-exchange.ts';
import { RequestParser } from './request-parser.ts';

/** How long clients may take, in milliseconds. */
export interface Patience {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  readonly writeMs: number;
}

/** How long, and how much, a client that was refused may go on sending, so that it gets to read the refusal. */
const lingerMs = 5_000;
const lingerBytesMax = requestLimits.bodyBytesMax;

/** One connection: takes requests out of what arrives and sees to it that each is answered in its turn. */
export class Connection {
  readonly #socket: Socket;
  readonly #deps: ExchangeDeps;
  readonly #patience: Patience;
  readonly #parser: RequestParser;
  readonly #writer: AnswerWriter;
  /** The request that is being received, from its head to the end of its body. */
  #receiving: Exchange | undefined;
  /** When the client began to send what is not complete, or else began to be idle. */
  #sinceMs = performance.now();
  #hasServed = false;
  #isReading = false;
  #isPaused = false;
  #hasEnded = false;
  /** What still arrives is dropped, since the connection is about to close. */
  #isDeaf = false;
  #droppedBytes = 0;

  constructor(socket: Socket, deps: ExchangeDeps, patience: Patience) {
    this.#socket = socket;
    this.#deps = deps;
    this.#patience = patience;
    this.#parser = new RequestParser(deps.heads);
    this.#writer = new AnswerWriter(socket, deps.answers, (isLast) => this.#answered(isLast));
    socket.on('end', () => this.#end());
    socket.on('drain', () => this.#drained());
    socket.on('timeout', () => socket.destroy());
    // A reset is an end like any other, and is followed by `close`.
    socket.on('error', () => {});
    socket.once('close', () => this.#closed());
  }

  /** Nothing is under way: no request has begun to arrive and none waits for its answer. */
  get isIdle(): boolean {
    return !this.#writer.isBusy && this.#parser.isIdle;
  }

  /** Closes a connection on which nothing is under way. What was written goes out, to a client that takes it. */
  leave(): void {
    if (!this.#isDeaf) this.#close(this.#isPaused);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Lets the client go if it has taken too long. */
  checkTime(nowMs: number): void {
    if (this.#isPaused || this.#isDeaf) return;
    const waitedMs = nowMs - this.#sinceMs;
    const { headersMs, requestMs, keepAliveMs } = this.#patience;
    if (this.#parser.isInBody) {
      if (waitedMs > requestMs) this.#refuse(408);
    } else if (!this.#parser.isIdle || !this.#hasServed) {
      // A connection that never sent anything has its first headers to send.
      if (waitedMs > headersMs) this.#refuse(408);
    } else if (!this.#writer.isBusy && waitedMs > keepAliveMs) {
      this.leave();
    }
  }

  /** Takes what has arrived. The bytes are the caller's, and may be others once this returns. */
  receive(bytes: Buffer): void {
    if (this.#isDeaf) {
      this.#droppedBytes += bytes.length;
      if (this.#droppedBytes > lingerBytesMax) this.#socket.destroy();
      return;
    }
    const isBeginning = this.#parser.isIdle;
    this.#parser.push(bytes);
    this.#read();
    this.#parser.keep();
    this.#receiving?.keep();
    if (isBeginning && !this.#parser.isIdle) this.#sinceMs = performance.now();
  }

  #read(): void {
    this.#isReading = true;
    this.#writer.gather();
    let isHungry = false;
    while (!isHungry && !this.#isDeaf && !this.#isHeldUp()) isHungry = !this.#readNext();
    this.#writer.flush();
    this.#isReading = false;
    this.#pauseOrResume();
    if (isHungry) this.#rest();
  }

  /** Tells whether there may be more in what has arrived. */
  #readNext(): boolean {
    const parser = this.#parser;
    switch (parser.next()) {
      case 'hungry':
        return false;
      case 'head':
        this.#hasServed = true;
        this.#receiving = new Exchange(this.#deps, this.#socket, this.#writer.open(), parser.head);
        this.#receiving.begin();
        return true;
      case 'piece':
        this.#receiving!.receive(parser.piece);
        return true;
      case 'end': {
        const exchange = this.#receiving!;
        this.#receiving = undefined;
        exchange.answer();
        // What follows in the same bytes is a request of its own, with its own time.
        if (!parser.isIdle) this.#sinceMs = performance.now();
        return true;
      }
      case 'malformed':
        this.#refuse(400);
        return true;
    }
  }

  /** All that has arrived is read. */
  #rest(): void {
    if (this.#hasEnded && !this.#parser.isIdle) this.#refuse(400);
    else if (this.isIdle) {
      if (this.#hasEnded || this.#deps.draining) this.leave();
      else this.#sinceMs = performance.now();
    }
  }

  /**
   * A request that has begun is read to its end. A further one, which a client may send before it has its answer, waits
   * until that is out: it may need to see what the one before it writes, or the one before it may close the connection.
   */
  #isHeldUp(): boolean {
    return this.#receiving === undefined && (this.#socket.writableNeedDrain || this.#writer.isBusy);
  }

  #pauseOrResume(): void {
    if (this.#isDeaf) return;
    // A client that reads nothing would keep its answers in memory for ever. Less than this is waited for when the
    // connection is closed.
    if (this.#socket.writableNeedDrain) this.#socket.setTimeout(this.#patience.writeMs);
    // Somebody who only waits for his answer is listened to, if only to hear that he has gone.
    const isPaused = this.#isHeldUp() && (this.#socket.writableNeedDrain || !this.#parser.isIdle);
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) {
      this.#socket.pause();
    } else {
      this.#sinceMs = performance.now();
      this.#socket.resume();
    }
  }

  #answered(isLast: boolean): void {
    if (isLast) this.#hangUp();
    // An answer that was not given at once: there may be more to read now, or nothing more to do.
    else if (!this.#isReading) this.#read();
  }

  #drained(): void {
    if (!this.#isDeaf) this.#socket.setTimeout(0);
    this.#writer.drained();
    this.#read();
  }

  #end(): void {
    this.#hasEnded = true;
    this.#read();
  }

  /**
   * Bytes that are not HTTP, headers beyond all limits, or a client out of time. The service answers 400 to the
   * first two. Requests before this one on the same connection have their answers by now: what comes after a request
   * is not looked at before.
   */
  #refuse(status: 400 | 408): void {
    this.#isDeaf = true;
    const exchange = this.#receiving;
    if (exchange === undefined) {
      const answer = this.#writer.open();
      answer.write(`${statusLine(status)}Content-Length: 0\r\n${this.#deps.headEnd.text(true)}`);
      answer.end(true);
    } else if (exchange.isRefused) {
      this.#writer.flush();
      this.#hangUp();
    } else {
      exchange.giveUp(status);
    }
  }

  /** The last answer is out. */
  #hangUp(): void {
    const isAhead = this.#isPaused || !this.#parser.isIdle;
    this.#writer.close();
    this.#close(isAhead || this.#isDeaf || this.#receiving !== undefined);
  }

  /** A client that takes nothing for a while is cut off, however little is left for it. */
  #close(mayBeSending: boolean): void {
    this.#isDeaf = true;
    this.#socket.setTimeout(this.#patience.writeMs);
    if (mayBeSending) this.#linger();
    else this.#socket.destroySoon();
  }

  /**
   * To close a socket on which there is something to read resets the connection, and the client loses what it has not
   * read yet. So what it sends is read for a while, though not before it has taken all that is for it: until then its
   * silence is what tells that it never will.
   */
  #linger(): void {
    this.#socket.pause();
    this.#socket.end(() => {
      const deadline = setTimeout(() => this.#socket.destroy(), lingerMs);
      this.#socket.once('close', () => clearTimeout(deadline));
      this.#socket.resume();
    });
  }

  #closed(): void {
    this.#isDeaf = true;
    this.#writer.close();
  }
}
