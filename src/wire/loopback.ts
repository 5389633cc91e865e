import { isIPv4 } from 'node:net';

/** Tells whether only this machine can reach an address or a name. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (host.startsWith('127.') && isIPv4(host));
}
