import { isIPv4 } from 'node:net';

/** Whether an address or a name is one that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (host.startsWith('127.') && isIPv4(host));
}
