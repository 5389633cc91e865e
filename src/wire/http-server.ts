import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { machine } from '../runtime/machine/machine.ts';
import type { Cancel } from '../runtime/virtual-timers.ts';
import { AnswerBuffer } from './answer-buffer.ts';
import { HeadEnd } from './answer-head.ts';
import { BodyBudget } from './body-budget.ts';
import { Connection, type Patience } from './http-connection.ts';
import type { ExchangeDeps } from './http-exchange.ts';
import { OneBuffer } from './one-buffer.ts';
import { tooManyConnections } from './overload.ts';
import type { PageGuard } from './page-guard.ts';
import type { Pages } from './pages.ts';
import { RequestHandler, type RequestHandlerOptions } from './request-handler.ts';
import { HeadReader } from './request-head.ts';
import { defaultLimits, type ServerLimits } from './wire-limits.ts';
import { WireWork } from './wire-work.ts';

export interface HttpServerOptions extends RequestHandlerOptions {
  /** Refuses requests from web pages of other sites. Without it every page may call. */
  readonly guard?: PageGuard;
  /** Answers GET and HEAD, except `GET /` from a client that does not ask for HTML. */
  readonly pages?: Pages;
  /** Answers everything under `/_stator/`. */
  readonly control?: Pages;
  /** The time for sending the headers of a request. */
  readonly headersTimeoutMs?: number;
  /** The time for sending a whole request. */
  readonly requestTimeoutMs?: number;
  /** The time a connection may be idle between requests. */
  readonly keepAliveTimeoutMs?: number;
  /** The time a client may leave an answer unread. */
  readonly writeTimeoutMs?: number;
  /** The longest interval between two checks of the first three limits. */
  readonly timeoutCheckMs?: number;
  /** What the server grants to its clients at one time. */
  readonly limits?: Partial<ServerLimits>;
}

/** Refused connections that are told why, at one time. */
const refusedMax = 100;
const refusedMs = 1_000;

/**
 * Serves a {@link RequestHandler} over HTTP/1.1. It implements HTTP itself, because Node's own server takes more time
 * for a small request than the request itself (docs/decisions/0010-http-front.md).
 */
export class HttpServer {
  readonly #server: Server;
  readonly #deps: ExchangeDeps;
  readonly #connections = new Set<Connection>();
  #onLastClosed = () => {};
  readonly #limits: ServerLimits;
  #refused = 0;
  readonly #timeoutCheckMs: number;
  #stopChecks: Cancel | undefined;
  #closing: Promise<number> | undefined;

  constructor(options: HttpServerOptions) {
    const patience: Patience = {
      headersMs: options.headersTimeoutMs ?? 60_000,
      requestMs: options.requestTimeoutMs ?? 300_000,
      keepAliveMs: options.keepAliveTimeoutMs ?? 65_000,
      writeMs: options.writeTimeoutMs ?? 60_000,
    };
    this.#timeoutCheckMs = Math.min(options.timeoutCheckMs ?? 1_000, patience.keepAliveMs);
    this.#limits = { ...defaultLimits(getHeapStatistics().heap_size_limit), ...options.limits };
    const work = options.work ?? new WireWork();
    const deps: ExchangeDeps = {
      handler: new RequestHandler({ ...options, work, isRemote: true }),
      guard: options.guard,
      pages: options.pages,
      control: options.control,
      log: options.log,
      headEnd: new HeadEnd(patience.keepAliveMs),
      answers: new AnswerBuffer(),
      heads: new HeadReader(),
      budget: new BodyBudget(this.#limits),
      work,
      streams: new Set(),
      draining: false,
      hasLoggedCorruption: false,
    };
    this.#deps = deps;
    // A client may close its side after it has sent its requests, and still gets the answers.
    const settings = { allowHalfOpen: true, noDelay: true, pauseOnConnect: true };
    const buffer = new OneBuffer();
    this.#server = createServer(settings, (accepted) => {
      if (this.#connections.size >= this.#limits.connectionsMax) {
        this.#refuse(accepted);
        return;
      }
      const socket = buffer.takeOver(accepted, (bytes) => connection.receive(bytes));
      const connection = new Connection(socket, deps, patience);
      this.#connections.add(connection);
      socket.once('close', () => {
        this.#connections.delete(connection);
        if (this.#connections.size === 0) this.#onLastClosed();
      });
    });
  }

  /** Listens on a port. Port 0 takes a free one; the returned address names it. */
  async listen(port: number, host: string): Promise<AddressInfo> {
    await this.#listen({ port, host });
    return this.#server.address() as AddressInfo;
  }

  /** Listens on a Unix socket. */
  listenOn(path: string): Promise<void> {
    return this.#listen({ path });
  }

  #listen(place: ListenOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(place, () => {
        this.#server.off('error', reject);
        // Running out of file descriptors, for example, must not end the process.
        this.#server.on('error', (error) => this.#deps.log(`The HTTP server reports: ${error.stack}`));
        this.#stopChecks = machine.every(this.#timeoutCheckMs, () => this.#checkTimes());
        resolve();
      });
    });
  }

  /** The room that bodies take. */
  get budget(): BodyBudget {
    return this.#deps.budget;
  }

  get work(): WireWork {
    return this.#deps.work;
  }

  /** The number of open connections. */
  get connections(): number {
    return this.#connections.size;
  }

  /**
   * Stops accepting connections, closes idle ones, lets running requests finish, and cuts off the rest after
   * `drainMs`. Returns the number of connections it cut off.
   */
  close(drainMs: number): Promise<number> {
    this.#closing ??= this.#drain(drainMs);
    return this.#closing;
  }

  async #drain(drainMs: number): Promise<number> {
    this.#deps.draining = true;
    let cut = 0;
    const cancel = machine.timer(drainMs, () => {
      cut = this.#connections.size;
      for (const connection of this.#connections) connection.destroy();
    });
    try {
      const stopped = this.#stopListening();
      for (const endStream of this.#deps.streams) endStream();
      for (const connection of this.#connections) if (connection.isIdle) connection.leave();
      await stopped;
      // Node counts only the sockets that it accepted, and `OneBuffer` may have replaced them.
      if (this.#connections.size > 0) await new Promise<void>((resolve) => (this.#onLastClosed = resolve));
    } finally {
      cancel();
      this.#stopChecks?.();
    }
    return cut;
  }

  #stopListening(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.close((error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  #checkTimes(): void {
    const nowMs = machine.stopwatchMs();
    const pressure = Math.max(
      this.#deps.budget.pressure,
      this.#connections.size / this.#limits.connectionsMax,
    );
    for (const connection of this.#connections) connection.checkTime(nowMs, pressure);
  }

  /** Tells a client that it is one too many, unless too many are being told. */
  #refuse(accepted: Socket): void {
    accepted.on('error', () => {});
    if (this.#refused >= refusedMax) {
      accepted.destroy();
      return;
    }
    this.#refused++;
    const cancel = machine.timer(refusedMs, () => accepted.destroy());
    accepted.once('close', () => {
      cancel();
      this.#refused--;
    });
    // What the client sends is dropped: closing a socket with unread input would reset it before the answer is read.
    accepted.resume().once('end', () => accepted.destroySoon());
    accepted.end(tooManyConnections);
  }
}
