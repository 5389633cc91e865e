import { type AddressInfo, createServer } from 'node:net';
import { codeOf, Failure, messageOf } from './failure.ts';
import { portHolder } from './port-holder.ts';

/** Finds out that an address cannot be had before anything is opened or created for it. */
export async function tryAddress(host: string, port: number, flag = '--port'): Promise<void> {
  await listenOnce(host, port, flag);
}

/** A port that is free at this moment. */
export function freePort(host: string): Promise<number> {
  return listenOnce(host, 0);
}

function listenOnce(host: string, port: number, flag = '--port'): Promise<number> {
  const server = createServer();
  return new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const { port: taken } = server.address() as AddressInfo;
      server.close(() => resolve(taken));
    });
  }).catch((error: unknown) => {
    throw listenFailure(error, host, port, flag);
  });
}

export function listenFailure(error: unknown, host: string, port: number, flag = '--port'): unknown {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new Failure(
        `Port ${port} on ${host} is taken${takenBy(port)}.`,
        `Stop that process, or choose another port: ${flag} ${port === 65_535 ? port - 1 : port + 1}, or ${flag} 0 for any that is free.`,
        error,
      );
    case 'EACCES':
    case 'EPERM':
      return new Failure(
        `This user may not listen on port ${port} of ${host}.`,
        port < 1024
          ? 'Ports below 1024 are for the administrator: choose a higher one with --port.'
          : undefined,
        error,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Failure(
        `${host} is not an address of this machine.`,
        'Use --host 127.0.0.1 for this machine only, or --host 0.0.0.0 for all its addresses.',
        error,
      );
    case undefined:
      return error;
    default:
      return new Failure(
        `Listening on port ${port} of ${host} failed: ${messageOf(error)}`,
        undefined,
        error,
      );
  }
}

function takenBy(port: number): string {
  const holder = portHolder(port);
  if (holder !== undefined)
    return ` by process ${holder.pid}${holder.command === '' ? '' : ` (${holder.command})`}`;
  const find =
    process.platform === 'win32' ? `netstat -ano | findstr :${port}` : `lsof -nP -iTCP:${port} -sTCP:LISTEN`;
  return ` by another process (to see by which: ${find})`;
}
