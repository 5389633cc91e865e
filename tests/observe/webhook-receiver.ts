import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Call {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly type: string | undefined;
  readonly body: Readonly<Record<string, string>>;
}

/** Takes what webhooks send, and answers as `reply` says. */
export class WebhookReceiver {
  readonly calls: Call[] = [];
  reply: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end();
  readonly #server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => {
      const { method, url, headers } = request;
      const body = text === '' ? {} : (JSON.parse(text) as Record<string, string>);
      this.calls.push({ method, path: url, type: headers['content-type'], body });
      this.reply(request, response);
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
