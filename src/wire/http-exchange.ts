import { IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { internalServerError } from '../model/errors.ts';
import { requestLimits } from '../model/limits.ts';
import { chooseCoding } from './accept-encoding.ts';
import { compressBody, compressedAboveBytes, type Inflated, inflateBody } from './compression.ts';
import { HeaderFields } from './header-fields.ts';
import { controlPrefix, type Page, type PageRequest, type Pages } from './pages.ts';
import { errorReply, notFound, type Reply, type RequestHandler, stackOf } from './request-handler.ts';
import { pathOf } from './wire-request.ts';

/** The limit on a body holds before and after decompression. */
const { bodyBytesMax, headersBytesMax, requestLineBytesMax } = requestLimits;
/** After a 413 the rest of the body is read and dropped, so that the client gets to see the answer. */
const droppedBytesMax = 4 * bodyBytesMax;

const noBytes: Uint8Array = new Uint8Array(0);

/** What all exchanges of one server share. */
export interface Desk {
  readonly handler: RequestHandler;
  readonly pages: Pages | undefined;
  readonly control: Pages | undefined;
  readonly log: (line: string) => void;
  readonly writeTimeoutMs: number;
  draining: boolean;
}

/** The exchange whose answer a connection will send last, as far as requests have been read from it. */
export const lastExchange = Symbol('last exchange');

export interface TrackedSocket extends Socket {
  [lastExchange]?: Exchange;
}

/**
 * One request and its answer. It is the incoming message itself, so that a request costs no further object and
 * its listeners no closures.
 */
export class Exchange extends IncomingMessage {
  #desk: Desk | undefined;
  #response: ServerResponse | undefined;
  #fields: HeaderFields | undefined;
  /** Most bodies arrive in one piece, which then is the body; later pieces are collected in an array. */
  #body: Uint8Array = noBytes;
  #pieces: Uint8Array[] | undefined;
  #received = 0;
  #refused = false;

  begin(desk: Desk, response: ServerResponse): void {
    this.#desk = desk;
    this.#response = response;
    (this.socket as TrackedSocket)[lastExchange] = this;
    const { fields } = this;
    if (this.url!.length > requestLineBytesMax || fields.size > headersBytesMax) this.refuse(400);
    else if (announcesTooMuch(fields.contentLength)) this.#tooLarge();
    this.on('data', onData);
    this.on('end', onEnd);
  }

  get fields(): HeaderFields {
    this.#fields ??= new HeaderFields(this.rawHeaders);
    return this.#fields;
  }

  get answered(): boolean {
    return this.#response === undefined || this.#response.writableFinished;
  }

  /** Calls back when the answer is out, or can no longer get out. */
  whenAnswered(callback: () => void): void {
    this.#response!.once('close', callback);
  }

  /** Answers a request that cannot be read to its end, unless it already has its answer, and hangs up. */
  refuse(status: number): void {
    this.#refused = true;
    const response = this.#response!;
    if (response.headersSent) {
      this.socket.destroySoon();
      return;
    }
    response.shouldKeepAlive = false;
    response.writeHead(status, ['Content-Length', '0']);
    response.end();
  }

  receive(piece: Uint8Array): void {
    this.#received += piece.length;
    if (this.#refused) {
      if (this.#received > droppedBytesMax) this.socket.destroy();
    } else if (this.#received > bodyBytesMax) {
      this.#body = noBytes;
      this.#pieces = undefined;
      this.#tooLarge();
    } else if (this.#pieces !== undefined) {
      this.#pieces.push(piece);
    } else if (this.#body.length > 0) {
      this.#pieces = [this.#body, piece];
    } else {
      this.#body = piece;
    }
  }

  answer(): void {
    if (this.#refused) return;
    if (this.#pieces !== undefined) this.#body = Buffer.concat(this.#pieces, this.#received);
    const coding = this.fields.contentEncoding?.trim().toLowerCase();
    if (coding === undefined || coding === '' || coding === 'identity') this.#handle(this.#body);
    else inflateBody(coding, this.#body, bodyBytesMax, (inflated) => this.#inflated(inflated));
  }

  #inflated(inflated: Inflated): void {
    if (inflated === 'too large') this.#tooLarge();
    else if (inflated === 'invalid') this.#writeInternalError();
    else this.#handle(inflated);
  }

  #handle(body: Uint8Array): void {
    const url = this.url!;
    const method = this.method!;
    const { handler, pages, control } = this.#desk!;
    if (url.startsWith(controlPrefix)) {
      void this.#page(control, body);
      return;
    }
    if (pages !== undefined && (method === 'GET' || method === 'HEAD') && this.#isForPages()) {
      void this.#page(pages, body);
      return;
    }
    try {
      const reply = handler.handle({ method, url, headers: this.fields, sent: this.#body, body });
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
    return pathOf(this.url!) !== '/' || this.fields.accept?.includes('text/html') === true;
  }

  #send(reply: Reply): void {
    const { body } = reply;
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    const accepted = this.fields.acceptEncoding;
    if (length > compressedAboveBytes && accepted !== undefined) {
      const coding = chooseCoding(accepted);
      if (coding !== undefined) {
        compressBody(coding, body, (error, compressed) => {
          if (error !== null) this.#fail(error);
          else this.#write(reply, compressed, compressed.length, coding);
        });
        return;
      }
    }
    this.#write(reply, body, length, undefined);
  }

  #write(reply: Reply, body: string | Uint8Array, length: number, coding: string | undefined): void {
    const response = this.#response!;
    const headers = [
      'Server',
      'Server',
      'x-amzn-RequestId',
      reply.requestId,
      'x-amz-crc32',
      String(crc32(body)),
    ];
    if (reply.contentType !== undefined) headers.push('Content-Type', reply.contentType);
    if (coding !== undefined) headers.push('Content-Encoding', coding);
    if (reply.headers.length > 0) headers.push(...reply.headers);
    headers.push('Content-Length', String(length));
    if (this.#desk!.draining) response.shouldKeepAlive = false;
    response.writeHead(reply.status, headers);
    // As many bytes as characters means ASCII, which Node need not encode.
    if (length === body.length) response.end(body, 'latin1');
    else response.end(body);
    this.#limitWrite();
  }

  /**
   * A client that reads nothing would keep its answers in memory for ever. The timer is not set for a single small
   * answer, which the kernel takes off our hands; Node lifts it with the next request.
   */
  #limitWrite(): void {
    if (this.socket.writableNeedDrain) this.socket.setTimeout(this.#desk!.writeTimeoutMs);
  }

  /** The service's answer to a body over the limit has neither request id nor length. */
  #tooLarge(): void {
    this.#refused = true;
    const response = this.#response!;
    if (this.#desk!.draining) response.shouldKeepAlive = false;
    const isChunkable = this.httpVersionMajor === 1 && this.httpVersionMinor >= 1;
    response.writeHead(413, isChunkable ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', '0']);
    response.end();
  }

  async #page(pages: Pages | undefined, body: Uint8Array): Promise<void> {
    const url = this.url!;
    const path = pathOf(url);
    const gone = new AbortController();
    this.#response!.once('close', () => gone.abort());
    const request: PageRequest = {
      method: this.method!,
      path,
      query: url.slice(path.length + 1),
      headers: this.fields,
      body,
      signal: gone.signal,
    };
    try {
      const page = await pages?.(request);
      if (page === undefined) this.#send(notFound(this.#desk!.handler.newRequestId()));
      else await this.#writePage(page);
    } catch (error) {
      if (!gone.signal.aborted) this.#fail(error);
    }
  }

  async #writePage({ status, headers, body }: Page): Promise<void> {
    const response = this.#response!;
    if (this.#desk!.draining) response.shouldKeepAlive = false;
    if (typeof body === 'string' || body instanceof Uint8Array) {
      const bytes = Buffer.from(body);
      response.writeHead(status, { ...headers, 'Content-Length': String(bytes.length) });
      response.end(bytes);
      this.#limitWrite();
    } else {
      // A client that closes its side while it watches is gone, and only a write would tell us otherwise.
      const { socket } = this;
      const hangUp = () => socket.destroy();
      socket.once('end', hangUp);
      response.once('close', () => socket.off('end', hangUp));
      response.writeHead(status, headers);
      await pipeline(Readable.from(body), response);
    }
  }

  /** Something of ours broke. Where the answer has begun nothing true can follow, so the connection goes. */
  #fail(error: unknown): void {
    this.#desk!.log(`${this.method} ${pathOf(this.url!)} failed: ${stackOf(error)}`);
    if (this.#response!.headersSent) this.socket.destroy();
    else this.#writeInternalError();
  }

  #writeInternalError(): void {
    const requestId = this.#desk!.handler.newRequestId();
    const reply = errorReply(internalServerError(), requestId, 'application/json', []);
    this.#write(reply, reply.body, reply.body.length, undefined);
  }
}

/**
 * Node's server looks for Host and Expect in the headers of each request, and building its usual map of all of
 * them for that would cost a tenth of the time that a small request takes. Ours has the two under the same names.
 */
Object.defineProperty(Exchange.prototype, 'headers', {
  get(this: Exchange): HeaderFields {
    return this.fields;
  },
});

export function announcesTooMuch(contentLength: string | undefined): boolean {
  return contentLength !== undefined && Number(contentLength) > bodyBytesMax;
}

function onData(this: Exchange, piece: Uint8Array): void {
  this.receive(piece);
}

function onEnd(this: Exchange): void {
  this.answer();
}
