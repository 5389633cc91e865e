import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { HttpAnswer, HttpRequest } from '../kit/endpoint-caller.ts';
import { codeOf } from './failure.ts';

/** A service that says nothing for so long has lost the request. */
const silenceMsMax = 300_000;

/** Requests over connections that stay open between calls. Half of what `fetch` costs the processor. */
export class KeptConnections {
  readonly #plain = new HttpAgent({ keepAlive: true });
  readonly #secure = new HttpsAgent({ keepAlive: true });
  readonly #socketPath: string | undefined;

  /** With a Unix socket, requests go there, whatever host their URLs name. */
  constructor(socketPath?: string) {
    this.#socketPath = socketPath;
  }

  async send(sent: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    signal.throwIfAborted();
    const first = await this.#send(sent, signal);
    // The service closed the connection while it was idle, and has not seen the request.
    const answer = first === 'closed' ? await this.#send(sent, signal) : first;
    if (answer === 'closed') throw new Error('the connection was closed twice before an answer');
    return answer;
  }

  #send({ method, url, headers, body }: HttpRequest, signal: AbortSignal): Promise<HttpAnswer | 'closed'> {
    return new Promise((resolve, reject) => {
      const isSecure = url.protocol === 'https:';
      const request = (isSecure ? httpsRequest : httpRequest)(url, {
        method,
        agent: isSecure ? this.#secure : this.#plain,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        ...(this.#socketPath !== undefined && { socketPath: this.#socketPath }),
      });
      const stop = () => request.destroy(signal.reason as Error);
      const fail = (error: Error) => {
        signal.removeEventListener('abort', stop);
        reject(signal.aborted ? (signal.reason as Error) : error);
      };
      signal.addEventListener('abort', stop);
      request.setTimeout(silenceMsMax, () => request.destroy(new Error('no answer within five minutes')));
      request.on('error', (error) => {
        if (!request.reusedSocket || signal.aborted || !/^(ECONNRESET|EPIPE)$/.test(codeOf(error) ?? ''))
          return fail(error);
        signal.removeEventListener('abort', stop);
        resolve('closed');
      });
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => {
          signal.removeEventListener('abort', stop);
          resolve({
            status: response.statusCode!,
            text: Buffer.concat(chunks).toString('utf8'),
            header: (name) => response.headers[name] as string | undefined,
          });
        });
      });
      request.end(body);
    });
  }
}
