import { Socket } from 'node:net';
import type pg from 'pg';
import { wait as delay } from '../../runtime/machine/machine.ts';
import type { ClusterHost } from './cluster-url.ts';
import type { Driver } from './driver.ts';
import type { ServerIdentity } from './primary-check.ts';
import type { Row } from './statement.ts';

/** How long a server has to close its end of a connection that we have closed. */
const farewellMsMax = 1_000;

/** One connection to one host. */
export class Connection {
  readonly host: ClusterHost;
  readonly #client: pg.Client;
  /** The driver's socket, held here because the driver has no public way to drop a connection that hangs. */
  readonly #socket = new Socket();
  readonly #onLost: () => void;
  #abandoned: Error | undefined;
  #isOpen = true;
  /** The server it leads to, as far as the engine tells. */
  server: ServerIdentity | undefined;
  /** How many faults the connector knew of when it last checked this connection. */
  faultsChecked = 0;

  /** `onLost` is called when the connection ends without having been closed here. */
  constructor(
    driver: Driver,
    host: ClusterHost,
    options: { readonly keepAliveMs: number },
    onLost: () => void,
  ) {
    this.host = host;
    this.#onLost = onLost;
    this.#client = new driver.Client({
      connectionString: host.url,
      application_name: 'stator',
      keepAlive: true,
      keepAliveInitialDelayMillis: options.keepAliveMs,
      stream: () => this.#socket,
    });
    // While a call holds the connection its end comes as the failure of the call's statement; the event that comes
    // with it would end the process if nobody listened.
    this.#client.on('error', () => this.#lose());
    this.#client.on('end', () => this.#lose());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async connect(): Promise<void> {
    await this.#named(this.#client.connect());
  }

  /** Answers the rows of the last statement. */
  async query(config: pg.QueryArrayConfig): Promise<readonly Row[]> {
    const result = await this.#named(this.#client.query<unknown[]>(config));
    // For several statements in one text `pg` answers an array, which its types do not tell.
    const results = (Array.isArray(result) ? result : [result]) as (typeof result)[];
    return results.at(-1)?.rows ?? [];
  }

  /** An idle connection does not keep the process running. */
  set isIdle(isIdle: boolean) {
    if (isIdle) this.#socket.unref();
    else this.#socket.ref();
  }

  /** Drops the connection at once. A statement under way fails with the reason, and its outcome is not known. */
  abandon(reason: Error): void {
    this.#abandoned ??= reason;
    this.#socket.destroy();
  }

  /** Takes leave of the server, without waiting for one that does not answer. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#socket.ref();
    const late = new AbortController();
    const ended = this.#client.end().catch(() => {});
    await Promise.race([ended, delay(farewellMsMax, undefined, { signal: late.signal }).catch(() => {})]);
    late.abort();
    this.#socket.destroy();
  }

  async #named<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw this.#abandoned ?? error;
    }
  }

  #lose(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#onLost();
  }
}
