import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { type Answered, requestHeaders } from './plain-request.ts';

/** One connection, on which requests follow each other: all of them get to the same worker. */
export class KeptConnection {
  readonly #endpoint: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #localPort = 0;

  constructor(endpoint: string) {
    this.#endpoint = new URL(endpoint);
  }

  async ask(operation: string, input: object): Promise<Answered> {
    return this.#send('/', requestHeaders(operation), JSON.stringify(input));
  }

  async control(path: string, body: object = {}): Promise<Answered> {
    return this.#send(`/_stator/${path}`, {}, JSON.stringify(body));
  }

  async look(path: string): Promise<Answered> {
    return this.#send(`/_stator/${path}`, {}, '', 'GET');
  }

  /** The lines of JSON that a feed sends, for as long as they are read. */
  async *lines(path: string): AsyncGenerator<unknown> {
    const sent = request(new URL(`/_stator/${path}`, this.#endpoint), { agent: this.#agent }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    for await (const line of createInterface({ input: answer })) yield JSON.parse(line);
  }

  /** Which of these processes has the other end, as Linux tells. */
  workerOf(pids: readonly number[]): number | undefined {
    const inode = inodeBetween(Number(this.#endpoint.port), this.#localPort);
    return pids.find((pid) => socketsOf(pid).includes(`socket:[${inode}]`));
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(
    path: string,
    headers: Record<string, string>,
    body: string,
    method = 'POST',
  ): Promise<Answered> {
    const sent = request(new URL(path, this.#endpoint), { method, agent: this.#agent, headers });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    this.#localPort = answer.socket.localPort ?? 0;
    const pieces: Buffer[] = [];
    for await (const piece of answer) pieces.push(piece as Buffer);
    const json = JSON.parse(Buffer.concat(pieces).toString()) as Answered['body'];
    return { status: answer.statusCode ?? 0, body: json };
  }
}

/** As many connections, and more if need be until every worker has one. */
export async function connectToAll(
  endpoint: string,
  pids: readonly number[],
  count = pids.length,
): Promise<Map<KeptConnection, number>> {
  const found = new Map<KeptConnection, number>();
  while (found.size < count || new Set(found.values()).size < pids.length) {
    if (found.size === 200) throw new Error(`Of 200 connections, none got to one of ${pids.join(', ')}`);
    const connection = new KeptConnection(endpoint);
    await connection.ask('ListTables', {});
    const pid = connection.workerOf(pids);
    if (pid === undefined) throw new Error('A connection that no worker has');
    found.set(connection, pid);
  }
  return found;
}

/** A line of this table: number, local address and port in hexadecimal, remote ones, …; the tenth is the inode. */
function inodeBetween(local: number, remote: number): string | undefined {
  const ends = (field: string | undefined, port: number) =>
    field?.endsWith(`:${port.toString(16).toUpperCase().padStart(4, '0')}`);
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/))
    .find((fields) => ends(fields[1], local) && ends(fields[2], remote))?.[9];
}

function socketsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch {
      // Closed meanwhile.
      return [];
    }
  });
}
