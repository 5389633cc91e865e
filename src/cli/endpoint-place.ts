import type { Transport } from '../kit/endpoint-caller.ts';
import { fetchTransport } from '../kit/fetch-transport.ts';
import { KeptConnections } from './kept-connections.ts';

/** Where an endpoint is reached: its URL, and the Unix socket in place of the URL's host if there is one. */
export interface EndpointPlace {
  readonly url: string;
  readonly socketPath: string | undefined;
}

/** `unix:/run/stator/control.sock` as a server prints it, and the form with `unix://`. */
const unixForm = /^unix:(?:\/\/)?(\/[^/].*)$/;

export function endpointPlace(endpoint: string): EndpointPlace {
  const socketPath = unixForm.exec(endpoint)?.[1];
  // On its socket a server answers to this name.
  return { url: socketPath === undefined ? endpoint : 'http://localhost', socketPath };
}

/** A transport for single requests. */
export function singleTransport({ socketPath }: EndpointPlace): Transport {
  if (socketPath === undefined) return fetchTransport;
  const connections = new KeptConnections(socketPath);
  return (request, signal) => connections.send(request, signal);
}

export function isEndpoint(given: string): boolean {
  return isHttpUrl(given) || unixForm.test(given);
}

/** `localhost:8000` is a URL too, of a scheme called localhost. */
function isHttpUrl(given: string): boolean {
  return /^https?:\/\//i.test(given) && URL.canParse(given);
}
