import { STATUS_CODES } from 'node:http';
import { machine } from '../runtime/machine/machine.ts';

/** The interim answer to a client that sends its body only after the server agrees. */
export const continueLine = 'HTTP/1.1 100 Continue\r\n\r\n';

const statusLines: ReadonlyMap<number, string> = new Map(
  Object.entries(STATUS_CODES).map(([status, text]) => [Number(status), `HTTP/1.1 ${status} ${text}\r\n`]),
);

export function statusLine(status: number): string {
  return statusLines.get(status) ?? `HTTP/1.1 ${status} Unknown\r\n`;
}

const nameForm = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const valueForm = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that depend on the connection or on the framing of the body. Pages may not set them. */
const ours = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

/** The header lines of a page. A name or value that would break out of its line is our own bug, and throws. */
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

/** The end of a head: the date and the connection headers. All answers of one second share its text. */
export class HeadEnd {
  readonly #keepAliveSeconds: number;
  #second = Number.NaN;
  #staying = '';
  #leaving = '';

  constructor(keepAliveMs: number) {
    this.#keepAliveSeconds = Math.floor(keepAliveMs / 1000);
  }

  text(isLast: boolean): string {
    const now = machine.nowMs();
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
