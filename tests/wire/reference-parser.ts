import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';

/** A request as a parser understood it. */
export interface Understood {
  readonly method: string;
  readonly url: string;
  readonly version: string;
  readonly headers: readonly string[];
  readonly body: string;
  readonly keepsAlive: boolean;
}

export interface Reading {
  readonly requests: readonly Understood[];
  /** Everything was understood to its end; otherwise what follows the requests was refused, or is not complete. */
  readonly isClean: boolean;
}

/** Node's own HTTP server, without a socket, as a second opinion on where requests begin and end. */
export class ReferenceParser {
  readonly #server: Server;
  #requests: Understood[] = [];
  #isClean = true;

  constructor() {
    const take = (request: IncomingMessage, response: ServerResponse) => this.#take(request, response);
    this.#server = createServer({ maxHeaderSize: 32 * 1024, requireHostHeader: false }, take);
    this.#server.on('checkContinue', take);
    this.#server.on('checkExpectation', take);
    this.#server.on('clientError', () => {
      this.#isClean = false;
    });
    Object.assign(this.#server, { httpAllowHalfOpen: true });
  }

  /** Each portion is read before the next arrives. */
  async read(portions: readonly Uint8Array[]): Promise<Reading> {
    this.#requests = [];
    this.#isClean = true;
    const connection = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    this.#server.emit('connection', connection);
    for (const portion of [...portions, null]) {
      if (portion?.length !== 0) connection.push(portion);
      // Nothing here waits for a timer or a socket, so a few rounds of the loop see all of it.
      for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
    }
    if (connection.destroyed && !connection.readableEnded) this.#isClean = false;
    connection.destroy();
    const requests = this.#requests.filter(({ body }) => body !== unfinished);
    return { requests, isClean: this.#isClean && requests.length === this.#requests.length };
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const requests = this.#requests;
    const index = requests.length;
    const { method = '', url = '', httpVersion: version, rawHeaders: headers } = request;
    const understood = { method, url, version, headers, keepsAlive: response.shouldKeepAlive };
    // Node's server answers this itself, unless it is told to leave that to others.
    if (version === '1.1' && request.headers.host === undefined) this.#isClean = false;
    if (!this.#isClean) return;
    requests.push({ ...understood, body: unfinished });
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      requests[index] = { ...understood, body: Buffer.concat(pieces).toString('latin1') };
      // Without a word about the connection, which is not what is compared.
      response.end();
    });
  }
}

const unfinished = '\u{10ffff}';
