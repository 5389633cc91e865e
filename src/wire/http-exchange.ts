import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { crc32 } from 'node:zlib';
import { pathOf } from '../kit/request-url.ts';
import { internalServerError } from '../model/errors.ts';
import { requestLimits } from '../model/limits.ts';
import { machine } from '../runtime/machine/machine.ts';
import { chooseCoding } from './accept-encoding.ts';
import type { AnswerBuffer } from './answer-buffer.ts';
import { continueLine, type HeadEnd, statusLine } from './answer-head.ts';
import type { OpenAnswer } from './answer-writer.ts';
import type { Identity } from './authenticate.ts';
import { BodyBudget } from './body-budget.ts';
import { BodyLease } from './body-lease.ts';
import { compressBody, compressedAboveBytes, type Inflated, inflateBody } from './compression.ts';
import { isNormalPath } from './normal-path.ts';
import { overloadReply } from './overload.ts';
import type { PageGuard } from './page-guard.ts';
import { isStreamed, writePage } from './page-reply.ts';
import { controlPrefix, type Page, type PageRequest, type Pages } from './pages.ts';
import { ReceivedBody } from './received-body.ts';
import { errorReply, notFound, type Reply, refusalReply } from './reply.ts';
import type { RequestHandler } from './request-handler.ts';
import { type HeadReader, keepsAlive, type RequestHead } from './request-head.ts';
import { bodyBudgetLimits } from './wire-limits.ts';
import type { WireWork } from './wire-work.ts';

/** The limit holds before and after decompression. */
const { bodyBytesMax } = requestLimits;
const { controlBodyBytesMax, drainedBytesMax, inflatedPerByteMax, smallBodyBytes } = bodyBudgetLimits;
/** After a 413 the server reads and drops this much of the body, so that the client can read the answer. */
const droppedBytesMax = 4 * bodyBytesMax;

const amzJson = 'application/x-amz-json-1.0';
const asksToContinue = /(?:^|\W)100-continue(?:$|\W)/i;

/** The dependencies that all exchanges of a server share. */
export interface ExchangeDeps {
  readonly handler: RequestHandler;
  readonly guard: PageGuard | undefined;
  readonly pages: Pages | undefined;
  readonly control: Pages | undefined;
  readonly log: (line: string) => void;
  readonly headEnd: HeadEnd;
  readonly answers: AnswerBuffer;
  readonly heads: HeadReader;
  readonly budget: BodyBudget;
  readonly work: WireWork;
  /** Ends each streamed page; called when the server closes, since streams may have no end of their own. */
  readonly streams: Set<() => void>;
  draining: boolean;
  /** Whether a body with corrupt compression was logged already. */
  hasLoggedCorruption: boolean;
}

/** One request and its answer. */
export class Exchange {
  readonly #deps: ExchangeDeps;
  readonly #socket: Socket;
  readonly #answer: OpenAnswer;
  readonly #head: RequestHead;
  readonly #body = new ReceivedBody();
  readonly #isControl: boolean;
  /** Whether the answer does not depend on the body: for every method but POST, outside of the control API. */
  readonly #ignoresBody: boolean;
  #dropped = 0;
  #isRefused = false;
  #keepsAlive: boolean;
  readonly #lease: BodyLease;
  /** Reserves room for a chunked body that turns out to be long. */
  #grow: (() => void) | undefined;

  constructor(deps: ExchangeDeps, socket: Socket, answer: OpenAnswer, head: RequestHead) {
    this.#deps = deps;
    this.#socket = socket;
    this.#answer = answer;
    this.#head = head;
    this.#keepsAlive = keepsAlive(head);
    this.#lease = new BodyLease(deps.budget);
    this.#isControl = head.url.startsWith(controlPrefix);
    this.#ignoresBody = head.method !== 'POST' && !this.#isControl;
  }

  /**
   * Called when the head has arrived. `isBodyHere` says whether the body has, too. If there is no room for the body, the
   * exchange waits, and `resume` is called later.
   */
  begin(isBodyHere: boolean, resume: () => void): void {
    const { fields, isOld } = this.#head;
    const announced = Number(fields.contentLength ?? 0);
    const isTooLarge = announced > this.#bodyBytesMax;
    const asks = fields.expect !== undefined && !isOld;
    // A client that asks first is spared the upload of a body that would be refused. It may send the body anyway, so the
    // connection cannot be used again.
    const isRefusable = asks && asksToContinue.test(fields.expect);
    if (asks && !isRefusable) this.#refuse(417);
    if (isTooLarge && !this.#isRefused) {
      if (asks) this.#keepsAlive = false;
      this.#tooLarge();
    }
    if (!this.#isRefused) this.#refuseHead(isBodyHere, asks, announced);
    if (this.#isRefused) return;
    const goOn = () => {
      if (asks) this.#answer.writeAhead(continueLine);
    };
    if (isBodyHere || this.#ignoresBody) {
      goOn();
      return;
    }
    const isChunked = fields.transferEncoding !== undefined;
    if (!isChunked) this.#body.expect(announced);
    this.#reserve(isChunked ? smallBodyBytes : announced, goOn, resume);
    this.#grow = isChunked ? () => this.#reserve(bodyBytesMax - smallBodyBytes, () => {}, resume) : undefined;
  }

  /** Refuses a request for what its head says, before its body has arrived. */
  #refuseHead(isBodyHere: boolean, asks: boolean, announced: number): void {
    const { method, url, fields } = this.#head;
    const { guard, handler, control } = this.#deps;
    const { transferEncoding } = fields;
    // What is left of a short body is dropped. A client with more to send has to open another connection.
    const hangsUp = asks || transferEncoding !== undefined || announced > drainedBytesMax;
    const refuse = (send: () => void) => {
      this.#isRefused = true;
      if (hangsUp && !isBodyHere) this.#keepsAlive = false;
      send();
    };
    if (this.#isControl) {
      const path = pathOf(url);
      if (!isNormalPath(path)) {
        refuse(() => this.#refuse(400));
        return;
      }
      const page = control?.refuseHead?.({
        method,
        path,
        query: url.slice(path.length + 1),
        headers: fields,
      });
      if (page === undefined) return;
      const { status } = page;
      const address = this.#socket.remoteAddress;
      handler.noteControl({ method, path, status, durationMs: 0, caller: undefined, address });
      refuse(() => this.#writePage(page));
      return;
    }
    const why = guard?.refusal(fields);
    if (why !== undefined) {
      const requestId = handler.newRequestId();
      this.#noteRefusal(requestId, 403, 'AccessDeniedException');
      refuse(() => this.#send(refusalReply(why, requestId)));
      return;
    }
    // If the body is here, its signature is verified next, and comes to the same.
    const reply = isBodyHere
      ? undefined
      : handler.refuseHead({ method, url, headers: fields, peer: this.#socket });
    if (reply !== undefined) refuse(() => this.#send(reply));
  }

  get #bodyBytesMax(): number {
    return this.#isControl ? controlBodyBytesMax : bodyBytesMax;
  }

  #reserve(bytes: number, goOn: () => void, resume: () => void): void {
    if (!this.#lease.reserve(bytes, goOn, resume)) this.#overload();
  }

  /** Whether the body waits for room. */
  get isWaiting(): boolean {
    return this.#lease.isWaiting;
  }

  /** The bytes of the body so far. */
  get receivedBytes(): number {
    return this.#body.length;
  }

  receive(piece: Uint8Array): void {
    if (this.#isRefused || this.#ignoresBody) {
      this.#dropped += piece.length;
      if (!this.#isRefused && this.#dropped > bodyBytesMax) this.#tooLarge();
      else if (this.#dropped > droppedBytesMax) this.#socket.destroy();
    } else if (this.#body.length + piece.length > this.#bodyBytesMax) {
      this.#dropped = this.#body.length + piece.length;
      this.#body.drop();
      this.#tooLarge();
    } else {
      this.#body.add(piece);
      if (this.#grow !== undefined && this.#body.length > this.#lease.reserved) {
        const grow = this.#grow;
        this.#grow = undefined;
        grow();
      }
    }
  }

  /** Copies the pieces of the body, because the caller is about to overwrite them. */
  keep(): void {
    this.#body.keep();
  }

  /** Called when the body is complete. */
  answer(): void {
    if (this.#isRefused) return;
    const { method, url, fields } = this.#head;
    const { handler } = this.#deps;
    const sent = this.#body.bytes;
    let sender: Identity | undefined;
    if (handler.verifies && method === 'POST' && !this.#isControl) {
      const found = handler.verify({ method, url, headers: fields, sent, peer: this.#socket });
      if ('status' in found) {
        this.#send(found);
        return;
      }
      sender = found;
    }
    const coding = this.#isControl || this.#ignoresBody ? undefined : codingOf(fields.contentEncoding);
    if (coding === undefined) {
      this.#work(BodyBudget.weightOf(sent.length), () =>
        this.#handle(this.#body.bytes, this.#body.bytes, sender),
      );
      return;
    }
    this.#body.keep();
    const inflatedMax = Math.min(bodyBytesMax, sent.length * inflatedPerByteMax);
    this.#work(sent.length + BodyBudget.weightOf(inflatedMax), () => {
      const kept = this.#body.bytes;
      inflateBody(coding, kept, bodyBytesMax, (inflated) => this.#inflated(kept, inflated, sender));
    });
  }

  /** Runs the work on the body when there is room for it. */
  #work(weight: number, run: () => void): void {
    if (this.#lease.begin(weight)) {
      run();
      return;
    }
    this.#body.keep();
    this.#lease.beginLater(weight, () => {
      if (this.#socket.destroyed) this.#lease.end();
      else run();
    });
  }

  /** Called when the connection has closed while the body was arriving. */
  abandon(): void {
    this.#isRefused = true;
    this.#body.drop();
    this.#lease.end();
  }

  /** Refuses a body for which there is no room. */
  #overload(): void {
    this.#isRefused = true;
    this.#keepsAlive = false;
    const requestId = this.#deps.handler.newRequestId();
    this.#noteRefusal(requestId, 503, 'ServiceUnavailable');
    this.#send(overloadReply(requestId));
  }

  /** Refuses a request that cannot be read to its end, and closes the connection. */
  giveUp(status: 400 | 408 | 503): void {
    this.#keepsAlive = false;
    if (status === 503) this.#overload();
    else this.#refuse(status);
  }

  /** Whether the request was answered before it was complete. Its remaining bytes are dropped. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  #inflated(sent: Uint8Array, inflated: Inflated, sender: Identity | undefined): void {
    if (inflated === 'too large') this.#tooLarge();
    else if (inflated === 'invalid') this.#corrupt();
    else {
      this.#deps.work.bytesInflated += inflated.length;
      this.#handle(sent, inflated, sender);
    }
  }

  /**
   * Answers a body that does not match its Content-Encoding. The service answers a 500, and clients retry it for a
   * while. The fault is in the client, so one line in the log tells the operator.
   */
  #corrupt(): void {
    if (!this.#deps.hasLoggedCorruption) {
      this.#deps.hasLoggedCorruption = true;
      this.#deps.log(
        'The body of a request is not what its Content-Encoding says, or this is neither gzip nor deflate. It was answered with InternalServerError, as on the service. Further ones are not logged.',
      );
    }
    this.#noteRefusal(undefined, 500, 'InternalServerError');
    const { contentType } = this.#head.fields;
    this.#writeInternalError(contentType === amzJson ? amzJson : undefined);
  }

  #handle(sent: Uint8Array, body: Uint8Array, sender: Identity | undefined): void {
    const { method, url, fields } = this.#head;
    const { handler, pages, control } = this.#deps;
    const isControl = url.startsWith(controlPrefix);
    if (isControl || (pages !== undefined && (method === 'GET' || method === 'HEAD') && this.#isForPages())) {
      if (isNormalPath(pathOf(url))) void this.#page(isControl ? control : pages, body);
      else this.#refuse(400);
      return;
    }
    try {
      const reply = handler.handle({ method, url, headers: fields, sent, body, sender, peer: this.#socket });
      if (reply instanceof Promise) {
        reply.then((later) => this.#send(later)).catch((error: unknown) => this.#fail(error));
      } else {
        this.#send(reply);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #isForPages(): boolean {
    return pathOf(this.#head.url) !== '/' || this.#head.fields.accept?.includes('text/html') === true;
  }

  #send(reply: Reply): void {
    const { answers } = this.#deps;
    const { body: given } = reply;
    const body = typeof given === 'string' || given instanceof Uint8Array ? given : answers.join(given);
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const accepted = this.#head.fields.acceptEncoding;
    if (length > compressedAboveBytes && accepted !== undefined) {
      const coding = chooseCoding(accepted);
      if (coding !== undefined) {
        const kept = typeof body !== 'string' && answers.holds(body) ? Buffer.from(body) : body;
        compressBody(coding, kept, (error, compressed) => {
          if (error !== null) this.#fail(error);
          else this.#write(reply, compressed, `Content-Encoding: ${coding}\r\n`);
        });
        return;
      }
    }
    // A text with as many bytes as characters is ASCII and needs no encoding.
    this.#write(reply, length === body.length ? body : Buffer.from(body as string), '');
  }

  /** Joins head and body, so that one write sends them. Nothing in a reply can break out of its header line. */
  #write(reply: Reply, body: string | Uint8Array, codingLine: string): void {
    const isLast = this.#isLast();
    let head = `${statusLine(reply.status)}Server: Server\r\nx-amzn-RequestId: ${reply.requestId}\r\nx-amz-crc32: ${crc32(body)}\r\n`;
    if (reply.contentType !== undefined) head += `Content-Type: ${reply.contentType}\r\n`;
    head += codingLine;
    for (let at = 0; at < reply.headers.length; at += 2) {
      head += `${reply.headers[at]}: ${reply.headers[at + 1]}\r\n`;
    }
    head += `Content-Length: ${body.length}\r\n${this.#deps.headEnd.text(isLast)}`;
    if (this.#head.method === 'HEAD') this.#answer.write(head);
    else this.#answer.write(head, body);
    this.#answer.end(isLast);
    this.#lease.end();
  }

  /** Refuses a body over the limit. The service's answer has neither request id nor length. */
  #tooLarge(): void {
    this.#refuse(413);
  }

  #noteRefusal(requestId: string | undefined, status: number, reason: string): void {
    const { fields: headers } = this.#head;
    const request = { headers, peer: this.#socket };
    this.#deps.handler.noteRefusal(headers.amzTarget, requestId, status, reason, request);
  }

  #refuse(status: number): void {
    this.#isRefused = true;
    this.#noteRefusal(undefined, status, STATUS_CODES[status] ?? String(status));
    const isLast = this.#isLast();
    const isChunked = status === 413 && !this.#head.isOld;
    const framing = isChunked ? 'Transfer-Encoding: chunked\r\n' : 'Content-Length: 0\r\n';
    const hasBody = isChunked && this.#head.method !== 'HEAD';
    this.#answer.write(
      `${statusLine(status)}${framing}${this.#deps.headEnd.text(isLast)}${hasBody ? '0\r\n\r\n' : ''}`,
    );
    this.#answer.end(isLast);
    this.#lease.end();
  }

  /** Whether the connection closes after this answer. While the server drains, every answer closes its connection. */
  #isLast(): boolean {
    return !this.#keepsAlive || this.#deps.draining;
  }

  async #page(pages: Pages | undefined, body: Uint8Array): Promise<void> {
    const { method, url, fields } = this.#head;
    const path = pathOf(url);
    const gone = new AbortController();
    const beganMs = machine.stopwatchMs();
    let caller: Identity | undefined;
    const abort = () => gone.abort();
    const request: PageRequest = {
      method,
      path,
      query: url.slice(path.length + 1),
      headers: fields,
      // A page may take time, and by then other bytes have overwritten the input.
      body: Buffer.from(body),
      signal: gone.signal,
      noteCaller: (identity) => {
        caller = identity;
      },
    };
    let isNoted = !path.startsWith(controlPrefix);
    const note = (status: number) => {
      if (isNoted) return;
      isNoted = true;
      const address = this.#socket.remoteAddress;
      const durationMs = machine.stopwatchMs() - beganMs;
      this.#deps.handler.noteControl({ method, path, status, durationMs, caller, address });
    };
    this.#socket.once('close', abort);
    if (this.#socket.destroyed) abort();
    try {
      const page = await pages?.(request);
      note(page?.status ?? 404);
      if (page === undefined) this.#send(notFound(this.#deps.handler.newRequestId()));
      else {
        if (isStreamed(page)) {
          this.#deps.streams.add(abort);
          if (this.#deps.draining) abort();
        }
        await this.#writePage(page, gone.signal);
      }
    } catch (error) {
      note(500);
      if (!gone.signal.aborted) this.#fail(error);
      // A stream that threw because it was told to end has nothing true to add.
      else this.#socket.destroy();
    } finally {
      this.#deps.streams.delete(abort);
      this.#socket.off('close', abort);
      abort();
      this.#lease.end();
    }
  }

  #writePage(page: Page, ended = new AbortController().signal): Promise<void> {
    return writePage(page, {
      head: this.#head,
      socket: this.#socket,
      answer: this.#answer,
      headEnd: this.#deps.headEnd,
      isLast: this.#isLast(),
      ended,
    });
  }

  /**
   * Answers a failure of our own. If the answer has already begun, nothing true can follow, so the connection is
   * closed.
   */
  #fail(error: unknown): void {
    this.#deps.handler.logFailure(`${this.#head.method} ${pathOf(this.#head.url)} failed`, error);
    if (this.#answer.hasBegun) {
      this.#socket.destroy();
      this.#lease.end();
    } else this.#writeInternalError();
  }

  #writeInternalError(contentType = 'application/json'): void {
    const requestId = this.#deps.handler.newRequestId();
    this.#send(errorReply(internalServerError(), requestId, contentType, []));
  }
}

/** The coding of a body; undefined if it is sent as it is. */
function codingOf(contentEncoding: string | undefined): string | undefined {
  const coding = contentEncoding?.trim().toLowerCase();
  return coding === '' || coding === 'identity' ? undefined : coding;
}
