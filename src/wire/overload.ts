import type { Reply } from './reply.ts';

/**
 * The answer to a request for which there is no room. SDKs repeat a request that was answered with 503, after a while.
 * The service's own answer under such load is unknown (guess); its list of errors has ServiceUnavailable with status
 * 503 (documented: API Reference).
 */
export function overloadReply(requestId: string): Reply {
  return { status: 503, requestId, contentType: 'application/x-amz-json-1.0', body, headers: [] };
}

const body = JSON.stringify({
  __type: 'com.amazon.coral.availability#ServiceUnavailableException',
  message: 'The server has no room for further request bodies at the moment. Try again later.',
});

/** What a client reads whose connection is one too many. */
export const tooManyConnections = `HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: ${connectionBody().length}\r\nConnection: close\r\n\r\n${connectionBody()}`;

function connectionBody(): string {
  return JSON.stringify({
    __type: 'com.amazon.coral.availability#ServiceUnavailableException',
    message: 'The server has too many connections. Try again later.',
  });
}
