import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { requestLimits } from '../model/limits.ts';
import { announcesTooMuch, type Desk, Exchange, lastExchange, type TrackedSocket } from './http-exchange.ts';
import type { Pages } from './pages.ts';
import { RequestHandler, type RequestHandlerOptions } from './request-handler.ts';

export interface HttpServerOptions extends RequestHandlerOptions {
  /** Asked about GET and HEAD, except for `GET /` from a client that does not ask for HTML. */
  readonly pages?: Pages;
  /** Asked about everything under `/_stator/`. */
  readonly control?: Pages;
  /** How long a client may take to send the headers of a request. */
  readonly headersTimeoutMs?: number;
  /** How long a client may take to send a whole request. */
  readonly requestTimeoutMs?: number;
  /** How long a connection may lie idle between requests. */
  readonly keepAliveTimeoutMs?: number;
  /** How long a client may leave an answer unread. */
  readonly writeTimeoutMs?: number;
  /** How often clients past the first two limits are looked for. */
  readonly timeoutCheckMs?: number;
}

/** Serves a {@link RequestHandler} over HTTP/1.1. */
export class HttpServer {
  readonly #server: Server;
  readonly #desk: Desk;
  readonly #sockets = new Set<Socket>();
  #closing: Promise<number> | undefined;

  constructor(options: HttpServerOptions) {
    const desk: Desk = {
      handler: new RequestHandler(options),
      pages: options.pages,
      control: options.control,
      log: options.log,
      writeTimeoutMs: options.writeTimeoutMs ?? 60_000,
      draining: false,
    };
    this.#desk = desk;
    this.#server = createServer(
      {
        IncomingMessage: Exchange as unknown as typeof IncomingMessage,
        // Node knows one limit for both; which of the two was passed is told once they are parsed.
        maxHeaderSize: requestLimits.requestLineBytesMax + requestLimits.headersBytesMax,
        headersTimeout: options.headersTimeoutMs ?? 60_000,
        requestTimeout: options.requestTimeoutMs ?? 300_000,
        keepAliveTimeout: options.keepAliveTimeoutMs ?? 65_000,
        connectionsCheckingInterval: options.timeoutCheckMs ?? 10_000,
        noDelay: true,
      },
      (exchange, response) => (exchange as Exchange).begin(desk, response),
    );
    this.#server.on('checkContinue', (request, response) => {
      const exchange = request as Exchange;
      // A client that asks first is spared the upload of a body that would be refused anyway. Whether it then sends
      // the body all the same is anyone's guess, so the connection is of no further use.
      if (announcesTooMuch(exchange.fields.contentLength)) response.shouldKeepAlive = false;
      else response.writeContinue();
      exchange.begin(desk, response);
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#server.on('clientError', (error, socket) => refuse(error, socket as RefusableSocket));
    // A client may close its side once it has sent its requests and still gets the answers. Node has this switch
    // but does not document it; without it the answer of an asynchronous operation would be lost.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
  }

  /** Port 0 takes a free one, which the answer names. */
  listen(port: number, host: string): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        // Such as running out of file descriptors, which must not end the process.
        this.#server.on('error', (error) => this.#desk.log(`The HTTP server reports: ${error.stack}`));
        resolve(this.#server.address() as AddressInfo);
      });
    });
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  /**
   * Stops accepting connections, closes idle ones, lets requests under way finish, and after `drainMs` cuts off
   * whatever is left. Tells how many connections it had to cut.
   */
  close(drainMs: number): Promise<number> {
    this.#closing ??= this.#drain(drainMs);
    return this.#closing;
  }

  #drain(drainMs: number): Promise<number> {
    this.#desk.draining = true;
    return new Promise((resolve, reject) => {
      let cut = 0;
      const deadline = setTimeout(() => {
        cut = this.#sockets.size;
        for (const socket of this.#sockets) socket.destroy();
      }, drainMs);
      this.#server.close((error) => {
        clearTimeout(deadline);
        if (error === undefined) resolve(cut);
        else reject(error);
      });
      // Node takes a connection that never sent a byte to be busy with its first request.
      for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    });
  }
}

const refusedAt = Symbol('bytes read when refused');

interface RefusableSocket extends TrackedSocket {
  [refusedAt]?: number;
}

/** How long a client that was refused may go on sending, so that it gets to read the refusal. */
const lingerMs = 5_000;

/**
 * Bytes that are not HTTP, headers beyond all limits, or a client out of time. The service answers 400 to the
 * first two. Requests before this one on the same connection get their answers first: a client that pipelines
 * would else take the refusal for the answer to an earlier request.
 */
function refuse(error: Error & { code?: string }, socket: RefusableSocket): void {
  const refused = socket[refusedAt];
  if (refused !== undefined) {
    // Node reports an error for each further piece of input.
    if (socket.bytesRead - refused > requestLimits.bodyBytesMax) socket.destroy();
    return;
  }
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  socket[refusedAt] = socket.bytesRead;
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const last = socket[lastExchange];
  if (last !== undefined && !last.complete) {
    // The request itself is known, its body is what could not be read.
    last.refuse(isLate ? 408 : 400);
    linger(socket);
  } else if (last === undefined || last.answered) {
    hangUp(socket, isLate);
  } else {
    last.whenAnswered(() => hangUp(socket, isLate));
  }
}

function hangUp(socket: Socket, isLate: boolean): void {
  linger(socket);
  if (!socket.writable) return;
  const status = isLate ? '408 Request Timeout' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function linger(socket: Socket): void {
  const deadline = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(deadline));
}
