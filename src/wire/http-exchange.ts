import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { crc32 } from 'node:zlib';
import { internalServerError } from '../model/errors.ts';
import { requestLimits } from '../model/limits.ts';
import { chooseCoding } from './accept-encoding.ts';
import type { AnswerBuffer } from './answer-buffer.ts';
import { continueLine, type HeadEnd, statusLine } from './answer-head.ts';
import type { OpenAnswer } from './answer-writer.ts';
import { compressBody, compressedAboveBytes, type Inflated, inflateBody } from './compression.ts';
import { isNormalPath } from './normal-path.ts';
import type { PageGuard } from './page-guard.ts';
import { isStreamed, writePage } from './page-reply.ts';
import { controlPrefix, type PageRequest, type Pages } from './pages.ts';
import { ReceivedBody } from './received-body.ts';
import { errorReply, notFound, type Reply, type RequestHandler, refusalReply } from './request-handler.ts';
import { type HeadReader, keepsAlive, type RequestHead } from './request-head.ts';
import { pathOf } from './wire-request.ts';

/** The limit holds before and after decompression. */
const { bodyBytesMax } = requestLimits;
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
  #dropped = 0;
  #isRefused = false;
  #keepsAlive: boolean;

  constructor(deps: ExchangeDeps, socket: Socket, answer: OpenAnswer, head: RequestHead) {
    this.#deps = deps;
    this.#socket = socket;
    this.#answer = answer;
    this.#head = head;
    this.#keepsAlive = keepsAlive(head);
  }

  /** Called when the head has arrived and the body has not. */
  begin(): void {
    const { fields, isOld } = this.#head;
    const isTooLarge = fields.contentLength !== undefined && Number(fields.contentLength) > bodyBytesMax;
    if (fields.expect !== undefined && !isOld) {
      if (!asksToContinue.test(fields.expect)) this.#refuse(417);
      // A client that asks first is spared the upload of a body that would be refused. It may send the body anyway,
      // so the connection cannot be used again.
      else if (isTooLarge) this.#keepsAlive = false;
      else this.#answer.writeAhead(continueLine);
    }
    if (isTooLarge && !this.#isRefused) this.#tooLarge();
  }

  receive(piece: Uint8Array): void {
    if (this.#isRefused) {
      this.#dropped += piece.length;
      if (this.#dropped > droppedBytesMax) this.#socket.destroy();
    } else if (this.#body.length + piece.length > bodyBytesMax) {
      this.#dropped = this.#body.length + piece.length;
      this.#body.drop();
      this.#tooLarge();
    } else {
      this.#body.add(piece);
    }
  }

  /** Copies the pieces of the body, because the caller is about to overwrite them. */
  keep(): void {
    this.#body.keep();
  }

  /** Called when the body is complete. */
  answer(): void {
    if (this.#isRefused) return;
    const { url, fields } = this.#head;
    // The control API has a stricter guard of its own.
    const refusal = url.startsWith(controlPrefix) ? undefined : this.#deps.guard?.refusal(fields);
    if (refusal !== undefined) {
      const requestId = this.#deps.handler.newRequestId();
      this.#noteRefusal(requestId, 403, 'AccessDeniedException');
      this.#send(refusalReply(refusal, requestId));
      return;
    }
    const coding = fields.contentEncoding?.trim().toLowerCase();
    if (coding === undefined || coding === '' || coding === 'identity') {
      this.#handle(this.#body.bytes, this.#body.bytes);
    } else {
      this.#body.keep();
      const sent = this.#body.bytes;
      inflateBody(coding, sent, bodyBytesMax, (inflated) => this.#inflated(sent, inflated));
    }
  }

  /** Refuses a request that cannot be read to its end, and closes the connection. */
  giveUp(status: 400 | 408): void {
    this.#keepsAlive = false;
    this.#refuse(status);
  }

  /** Whether the request was answered before it was complete. Its remaining bytes are dropped. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  #inflated(sent: Uint8Array, inflated: Inflated): void {
    if (inflated === 'too large') this.#tooLarge();
    else if (inflated === 'invalid') this.#corrupt();
    else this.#handle(sent, inflated);
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

  #handle(sent: Uint8Array, body: Uint8Array): void {
    const { method, url, fields } = this.#head;
    const { handler, pages, control } = this.#deps;
    const isControl = url.startsWith(controlPrefix);
    if (isControl || (pages !== undefined && (method === 'GET' || method === 'HEAD') && this.#isForPages())) {
      if (isNormalPath(pathOf(url))) void this.#page(isControl ? control : pages, body);
      else this.#refuse(400);
      return;
    }
    try {
      const reply = handler.handle({ method, url, headers: fields, sent, body });
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
  }

  /** Refuses a body over the limit. The service's answer has neither request id nor length. */
  #tooLarge(): void {
    this.#refuse(413);
  }

  #noteRefusal(requestId: string | undefined, status: number, reason: string): void {
    this.#deps.handler.noteRefusal(this.#head.fields.amzTarget, requestId, status, reason);
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
  }

  /** Whether the connection closes after this answer. While the server drains, every answer closes its connection. */
  #isLast(): boolean {
    return !this.#keepsAlive || this.#deps.draining;
  }

  async #page(pages: Pages | undefined, body: Uint8Array): Promise<void> {
    const { method, url, fields } = this.#head;
    const path = pathOf(url);
    const gone = new AbortController();
    const abort = () => gone.abort();
    const request: PageRequest = {
      method,
      path,
      query: url.slice(path.length + 1),
      headers: fields,
      // A page may take time, and by then other bytes have overwritten the input.
      body: Buffer.from(body),
      signal: gone.signal,
    };
    this.#socket.once('close', abort);
    if (this.#socket.destroyed) abort();
    try {
      const page = await pages?.(request);
      if (page === undefined) this.#send(notFound(this.#deps.handler.newRequestId()));
      else {
        if (isStreamed(page)) {
          this.#deps.streams.add(abort);
          if (this.#deps.draining) abort();
        }
        await writePage(page, {
          head: this.#head,
          socket: this.#socket,
          answer: this.#answer,
          headEnd: this.#deps.headEnd,
          isLast: this.#isLast(),
          ended: gone.signal,
        });
      }
    } catch (error) {
      if (!gone.signal.aborted) this.#fail(error);
      // A stream that threw because it was told to end has nothing true to add.
      else this.#socket.destroy();
    } finally {
      this.#deps.streams.delete(abort);
      this.#socket.off('close', abort);
      abort();
    }
  }

  /**
   * Answers a failure of our own. If the answer has already begun, nothing true can follow, so the connection is
   * closed.
   */
  #fail(error: unknown): void {
    this.#deps.handler.logFailure(`${this.#head.method} ${pathOf(this.#head.url)} failed`, error);
    if (this.#answer.hasBegun) this.#socket.destroy();
    else this.#writeInternalError();
  }

  #writeInternalError(contentType = 'application/json'): void {
    const requestId = this.#deps.handler.newRequestId();
    this.#send(errorReply(internalServerError(), requestId, contentType, []));
  }
}
