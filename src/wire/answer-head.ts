import { STATUS_CODES } from 'node:http';

/** What stands before every answer to a client that waits to be told whether to send its body. */
export const continueLine = 'HTTP/1.1 100 Continue\r\n\r\n';

const statusLines: ReadonlyMap<number, string> = new Map(
  Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `HTTP/1.1 ${status} ${text}\r\n`]),
);

export function statusLine(status: number): string {
  return statusLines.get(status) ?? `HTTP/1.1 ${status} Unknown\r\n`;
}

const nameForm = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const valueForm = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What depends on the connection, or on how a body is sent, is not for a page to say. */
const ours = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

/** The header lines of a page. What would break out of its line is our own bug. */
export function fieldLines(headers: Readonly<Record<string, string>>): string {
  let lines = '';
  for (const [name, value] of Object.entries(headers)) {
    if (!ours.has(name.toLowerCase())) lines += fieldLine(name, value);
  }
  return lines;
}

function fieldLine(name: string, value: string): string {
  if (!nameForm.test(name) || !valueForm.test(value)) {
    throw new Error(`${JSON.stringify(`${name}: ${value}`)} cannot be sent as a header`);
  }
  return `${name}: ${value}\r\n`;
}

/** The end of a head: date and what becomes of the connection. It is the same for all answers of one second. */
export class HeadEnd {
  readonly #keepAliveSeconds: number;
  #second = Number.NaN;
  #staying = '';
  #leaving = '';

  constructor(keepAliveMs: number) {
    this.#keepAliveSeconds = Math.floor(keepAliveMs / 1000);
  }

  text(isLast: boolean): string {
    const now = Date.now();
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      const date = `Date: ${new Date(now).toUTCString()}\r\n`;
      this.#leaving = `${date}Connection: close\r\n\r\n`;
      this.#staying = `${date}Connection: keep-alive\r\nKeep-Alive: timeout=${this.#keepAliveSeconds}\r\n\r\n`;
    }
    return isLast ? this.#leaving : this.#staying;
  }
}
