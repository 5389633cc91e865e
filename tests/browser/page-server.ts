import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface PageServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves pages on a port of this machine, to whoever asks under whatever name. Other paths are 404. */
export async function startPageServer(
  pages: Readonly<Record<string, { readonly type: string; readonly body: string }>>,
): Promise<PageServer> {
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    response.writeHead(page === undefined ? 404 : 200, { 'Content-Type': page?.type ?? 'text/plain' });
    response.end(page?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
