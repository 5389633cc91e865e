import { request } from 'node:http';
import { requestHeaders } from '../cli/plain-request.ts';

export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Sends what a browser would for a page: ListTables, with any Host and Origin, which `fetch` does not let be chosen. */
export function sendAsPage(
  port: number,
  headers: Record<string, string>,
  method = 'POST',
  path = '/',
): Promise<PageAnswer> {
  const operation = method === 'POST' ? requestHeaders('ListTables') : {};
  return new Promise((resolve, reject) => {
    const address = { host: '127.0.0.1', port, method, path };
    const sent = request({ ...address, headers: { ...operation, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? '{}' : undefined);
  });
}
