import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { crc32, gunzipSync, inflateSync } from 'node:zlib';
import { deferred } from './deferred.ts';

export interface RawResponse {
  readonly version: string;
  readonly status: number;
  /** In lower case. A name that is repeated fails the parser: nothing we send may be. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/**
 * A client that writes whatever bytes it is told to and is strict about what comes back: anything that is not
 * a well-formed response of HTTP/1.1 makes it throw.
 */
export class RawConnection {
  readonly socket: Socket;
  /** Resolves when the connection is closed for good, whoever did it. */
  readonly closed: Promise<unknown>;
  #input: Buffer = Buffer.alloc(0);
  #ended = false;
  #wake = deferred<void>();

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = once(socket, 'close').catch(() => undefined);
    // A reset by the server is an end like any other; what was received before it still counts.
    socket.on('error', () => {});
    socket.on('data', (data) => {
      this.#input = Buffer.concat([this.#input, data]);
      this.#woken();
    });
    const end = () => {
      this.#ended = true;
      this.#woken();
    };
    socket.on('end', end);
    socket.on('close', end);
  }

  static async open(port: number, halfOpen = false): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: halfOpen });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  write(data: string | Uint8Array): void {
    if (!this.socket.destroyed && this.socket.writable) this.socket.write(data);
  }

  /** The next response, or `undefined` where the connection ends before its first byte. */
  async response(isHead = false): Promise<RawResponse | undefined> {
    const head = await this.#until((input) => {
      const end = input.indexOf('\r\n\r\n');
      return end === -1 ? undefined : input.toString('latin1', 0, end);
    });
    if (head === undefined) {
      if (this.#input.length > 0)
        throw new Error(`Truncated response: ${JSON.stringify(this.#input.toString())}`);
      return undefined;
    }
    this.#consume(head.length + 4);
    const [statusLine = '', ...lines] = head.split('\r\n');
    const status = /^HTTP\/(1\.[01]) (\d{3}) [\w ]+$/.exec(statusLine);
    if (status === null) throw new Error(`Not a status line: ${JSON.stringify(statusLine)}`);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const field = /^([!#$%&'*+.^_`|~\w-]+): ([\t\x20-\x7e\x80-\xff]*)$/.exec(line);
      if (field === null) throw new Error(`Not a header: ${JSON.stringify(line)}`);
      const name = field[1]!.toLowerCase();
      if (headers.has(name)) throw new Error(`Repeated header: ${name}`);
      headers.set(name, field[2]!);
    }
    const body = isHead || status[2] === '100' ? Buffer.alloc(0) : await this.#body(headers);
    return { version: status[1]!, status: Number(status[2]), headers, body };
  }

  async #body(headers: ReadonlyMap<string, string>): Promise<Buffer> {
    const length = headers.get('content-length');
    if (headers.get('transfer-encoding') === 'chunked') {
      if (length !== undefined) throw new Error('Both a length and chunks');
      return this.#chunks();
    }
    if (length === undefined || !/^\d+$/.test(length)) throw new Error(`Not a length: ${length}`);
    return this.#take(Number(length));
  }

  async #chunks(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    while (true) {
      const line = await this.#until((input) => {
        const end = input.indexOf('\r\n');
        return end === -1 ? undefined : input.toString('latin1', 0, end);
      });
      if (line === undefined || !/^[0-9a-f]+$/i.test(line)) throw new Error(`Not a chunk: ${line}`);
      this.#consume(line.length + 2);
      const size = Number.parseInt(line, 16);
      chunks.push(await this.#take(size));
      if ((await this.#take(2)).toString() !== '\r\n') throw new Error('A chunk without its end');
      if (size === 0) return Buffer.concat(chunks);
    }
  }

  async #take(length: number): Promise<Buffer> {
    const taken = await this.#until((input) =>
      input.length < length ? undefined : input.subarray(0, length),
    );
    if (taken === undefined) throw new Error(`Truncated body: ${this.#input.length} of ${length} bytes`);
    this.#consume(length);
    return taken;
  }

  #consume(length: number): void {
    this.#input = this.#input.subarray(length);
  }

  async #until<T>(find: (input: Buffer) => T | undefined): Promise<T | undefined> {
    while (true) {
      const found = find(this.#input);
      if (found !== undefined || this.#ended) return found;
      await this.#wake.promise;
    }
  }

  #woken(): void {
    this.#wake.resolve();
    this.#wake = deferred<void>();
  }
}

/** Throws unless id, checksum and JSON of a response are what every answer of an operation has. */
export function checkedJson(response: RawResponse | undefined): Record<string, unknown> {
  if (response === undefined) throw new Error('No response');
  checkSums(response);
  const parsed: unknown = JSON.parse(plainBody(response).toString());
  if (typeof parsed !== 'object' || parsed === null) throw new Error(`Not an object: ${parsed}`);
  return parsed as Record<string, unknown>;
}

export function checkSums({ headers, body }: RawResponse): void {
  if (!/^[0-9A-Z]{52}$/.test(headers.get('x-amzn-requestid') ?? '')) throw new Error('No request id');
  if (headers.get('x-amz-crc32') !== String(crc32(body))) throw new Error('A wrong checksum');
  if (!headers.has('date') || headers.get('server') !== 'Server') throw new Error('No Date or Server');
}

export function plainBody({ headers, body }: RawResponse): Buffer {
  const coding = headers.get('content-encoding');
  if (coding === 'gzip') return gunzipSync(body);
  if (coding === 'deflate') return inflateSync(body);
  if (coding !== undefined) throw new Error(`Unknown coding ${coding}`);
  return body;
}
