import type { Socket } from 'node:net';
import { requestLimits } from '../model/limits.ts';
import { machine } from '../runtime/machine/machine.ts';
import { statusLine } from './answer-head.ts';
import { AnswerWriter } from './answer-writer.ts';
import { underPressure } from './body-budget.ts';
import { Exchange, type ExchangeDeps } from './http-exchange.ts';
import { RequestParser } from './request-parser.ts';
import { bodyBudgetLimits, patienceLimits } from './wire-limits.ts';

/** The time limits of clients, in milliseconds. They shrink under pressure. */
export interface Patience {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly keepAliveMs: number;
  readonly writeMs: number;
}

/** The time and the bytes for which a refused client may go on sending, so that it can read the refusal. */
const lingerMs = 5_000;
const lingerBytesMax = requestLimits.bodyBytesMax;

/** One connection. It parses requests from the bytes that arrive and answers them in their order. */
export class Connection {
  readonly #socket: Socket;
  readonly #deps: ExchangeDeps;
  readonly #patience: Patience;
  readonly #parser: RequestParser;
  readonly #writer: AnswerWriter;
  /** The request whose body is arriving. */
  #receiving: Exchange | undefined;
  /** The time when the client began to send an incomplete request, or became idle. */
  #sinceMs = machine.stopwatchMs();
  /** The time of the latest bytes of an incomplete request. */
  #latestMs = 0;
  #heldBytes = 0;
  #hasServed = false;
  #isReading = false;
  #isPaused = false;
  #hasEnded = false;
  /** True once the connection is about to close. Input is then dropped. */
  #isDiscarding = false;
  #droppedBytes = 0;

  constructor(socket: Socket, deps: ExchangeDeps, patience: Patience) {
    this.#socket = socket;
    this.#deps = deps;
    this.#patience = patience;
    this.#parser = new RequestParser(deps.heads);
    this.#writer = new AnswerWriter(
      socket,
      deps.answers,
      (isLast) => this.#answered(isLast),
      () => socket.setTimeout(patience.writeMs),
    );
    socket.on('end', () => this.#end());
    socket.on('drain', () => this.#drained());
    socket.on('timeout', () => socket.destroy());
    // A reset ends the connection like anything else, and `close` follows it.
    socket.on('error', () => {});
    socket.once('close', () => this.#closed());
  }

  /** True when no request has begun to arrive and none waits for its answer. */
  get isIdle(): boolean {
    return !this.#writer.isBusy && this.#parser.isIdle;
  }

  /** Closes an idle connection. A client that still reads gets what was written. */
  leave(): void {
    if (!this.#isDiscarding) this.#close(this.#isPaused);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Closes the connection if the client has exceeded a time limit. `pressure` shrinks the limits. */
  checkTime(nowMs: number, pressure: number): void {
    if (this.#isDiscarding) return;
    const waitedMs = nowMs - this.#sinceMs;
    // A body without room is no fault of the client, but it cannot wait for ever.
    if (this.#receiving?.isWaiting === true) {
      if (waitedMs > bodyBudgetLimits.waitMs) this.#refuse(503);
      return;
    }
    if (this.#isPaused) return;
    const { headersMs, requestMs, keepAliveMs } = this.#patience;
    const { headersMsMin, requestMsMin, keepAliveMsMin } = patienceLimits;
    if (this.#parser.isInBody) {
      if (waitedMs > underPressure(requestMs, requestMsMin, pressure) || this.#isTooSlow(nowMs, pressure))
        this.#refuse(408);
    } else if (!this.#parser.isIdle || !this.#hasServed) {
      // A new connection must send its first headers within the time for headers.
      if (waitedMs > underPressure(headersMs, headersMsMin, pressure)) this.#refuse(408);
    } else if (!this.#writer.isBusy && waitedMs > underPressure(keepAliveMs, keepAliveMsMin, pressure)) {
      this.leave();
    }
  }

  /** Whether a body has stood still for too long, or comes more slowly than any network is. */
  #isTooSlow(nowMs: number, pressure: number): boolean {
    const { stallMs, stallMsMin, bodyBytesPerSecondMin } = patienceLimits;
    const patienceMs = underPressure(stallMs, stallMsMin, pressure);
    if (nowMs - this.#latestMs > patienceMs) return true;
    const seconds = (nowMs - this.#sinceMs) / 1_000;
    const bytes = this.#receiving?.receivedBytes ?? Number.POSITIVE_INFINITY;
    return seconds > patienceMs / 1_000 && bytes < seconds * bodyBytesPerSecondMin;
  }

  /** Takes bytes that arrived. The caller may overwrite them once this returns. */
  receive(bytes: Buffer): void {
    if (this.#isDiscarding) {
      this.#droppedBytes += bytes.length;
      if (this.#droppedBytes > lingerBytesMax) this.#socket.destroy();
      return;
    }
    const isBeginning = this.#parser.isIdle;
    this.#parser.push(bytes);
    this.#read();
    this.#parser.keep();
    this.#receiving?.keep();
    this.#hold(this.#parser.heldBytes);
    if (!this.#parser.isIdle) {
      this.#latestMs = machine.stopwatchMs();
      if (isBeginning) this.#sinceMs = this.#latestMs;
    }
  }

  /** Counts the bytes that wait here to be read to the server's budget. */
  #hold(bytes: number): void {
    if (bytes === this.#heldBytes) return;
    this.#deps.budget.hold(bytes - this.#heldBytes);
    this.#heldBytes = bytes;
  }

  #read(): void {
    this.#isReading = true;
    this.#writer.gather();
    let isHungry = false;
    while (!isHungry && !this.#isDiscarding && !this.#isHeldUp()) isHungry = !this.#readNext();
    this.#writer.flush();
    this.#isReading = false;
    if (this.#heldBytes > 0) this.#hold(Math.min(this.#heldBytes, this.#parser.heldBytes));
    this.#pauseOrResume();
    if (isHungry) this.#inputUsedUp();
  }

  /** Returns false when the input holds no more. */
  #readNext(): boolean {
    const parser = this.#parser;
    switch (parser.next()) {
      case 'hungry':
        return false;
      case 'head':
        this.#hasServed = true;
        this.#receiving = new Exchange(this.#deps, this.#socket, this.#writer.open(), parser.head);
        this.#receiving.begin(parser.isBodyHere, this.#resume);
        return true;
      case 'piece':
        this.#receiving!.receive(parser.piece);
        return true;
      case 'end': {
        const exchange = this.#receiving!;
        this.#receiving = undefined;
        exchange.answer();
        // The bytes behind it belong to the next request, which has its own time limit.
        if (!parser.isIdle) this.#sinceMs = machine.stopwatchMs();
        return true;
      }
      case 'malformed':
        this.#refuse(400);
        return true;
    }
  }

  /** Called when the input is used up. */
  #inputUsedUp(): void {
    if (this.#hasEnded && !this.#parser.isIdle) this.#refuse(400);
    else if (this.isIdle) {
      if (this.#hasEnded || this.#deps.draining) this.leave();
      else this.#sinceMs = machine.stopwatchMs();
    }
  }

  /**
   * Tells whether the next request must wait. A request that has begun is read to its end. A client may send a
   * further request before it has its answer; that request waits until the answer is written. It may need to see what
   * the earlier request writes, or the earlier request may close the connection. A body without room waits as well.
   */
  #isHeldUp(): boolean {
    if (this.#receiving !== undefined) return this.#receiving.isWaiting;
    return this.#socket.writableNeedDrain || this.#writer.isBusy;
  }

  #pauseOrResume(): void {
    if (this.#isDiscarding) return;
    // A client that reads nothing would keep its answers in memory for ever. If less than that is unread, the time
    // limit starts when the connection closes.
    if (this.#socket.writableNeedDrain) this.#socket.setTimeout(this.#patience.writeMs);
    // While a client only waits for its answer, the socket keeps reading to notice that the client has gone.
    const isPaused = this.#isHeldUp() && (this.#socket.writableNeedDrain || !this.#parser.isIdle);
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) {
      this.#socket.pause();
    } else {
      this.#sinceMs = machine.stopwatchMs();
      this.#latestMs = this.#sinceMs;
      this.#socket.resume();
    }
  }

  /** Called when there is room for the body that waited. */
  readonly #resume = () => {
    if (!this.#isReading) this.#read();
  };

  #answered(isLast: boolean): void {
    if (isLast) this.#hangUp();
    // The answer came later than its request. There may be more to read now, or nothing more to do.
    else if (!this.#isReading) this.#read();
  }

  #drained(): void {
    if (!this.#isDiscarding) this.#socket.setTimeout(0);
    this.#writer.drained();
    this.#read();
  }

  #end(): void {
    this.#hasEnded = true;
    this.#read();
  }

  /**
   * Refuses bytes that are not HTTP, headers over the limits, or a client out of time. The service answers 400 to the
   * first two. Earlier requests of this connection have their answers by now, because a later request is not read
   * before.
   */
  #refuse(status: 400 | 408 | 503): void {
    this.#isDiscarding = true;
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

  /** Closes the connection after the last answer is written. */
  #hangUp(): void {
    const isAhead = this.#isPaused || !this.#parser.isIdle;
    this.#writer.close();
    this.#close(isAhead || this.#isDiscarding || this.#receiving !== undefined);
  }

  /** Closes the socket. A client that reads nothing for a while is cut off, however little is left to send. */
  #close(mayBeSending: boolean): void {
    this.#isDiscarding = true;
    this.#socket.setTimeout(this.#patience.writeMs);
    if (mayBeSending) this.#linger();
    else this.#socket.destroySoon();
  }

  /**
   * Goes on reading for a while before it closes the socket. Closing a socket with unread input resets the
   * connection, and the client loses what it has not read yet. The reading begins only after the client has read
   * everything: until then, its silence shows that it never will.
   */
  #linger(): void {
    this.#socket.pause();
    this.#socket.end(() => {
      const cancel = machine.timer(lingerMs, () => this.#socket.destroy());
      this.#socket.once('close', cancel);
      this.#socket.resume();
    });
  }

  #closed(): void {
    this.#isDiscarding = true;
    this.#writer.close();
    this.#receiving?.abandon();
    this.#hold(0);
  }
}
