/** What of the SDK's HttpRequest is read here. */
interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/**
 * A request handler for the SDK's Kinesis client. Its own one speaks HTTP/2 without asking, which endpoints other than
 * Amazon's do not understand.
 */
export class FetchHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };

  async handle(
    { method, protocol, hostname, port, path, headers, body }: SdkRequest,
    { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
  ): Promise<{ response: SdkResponse }> {
    // These are the connection's affair.
    const { host: _, 'content-length': __, ...sent } = headers;
    const address = port === undefined ? hostname : `${hostname}:${port}`;
    const response = await fetch(`${protocol}//${address}${path}`, {
      method,
      headers: sent,
      ...(body !== undefined && { body }),
      ...(abortSignal && { signal: abortSignal }),
    }).catch((error: Error) => {
      // What the system says of it is more than "fetch failed".
      throw error.cause instanceof Error ? error.cause : error;
    });
    return {
      response: {
        statusCode: response.status,
        headers: Object.fromEntries(response.headers),
        body: new Uint8Array(await response.arrayBuffer()),
      },
    };
  }

  /** The SDK asks for these three of every handler; there is nothing to configure and nothing to release. */
  updateHttpClientConfig(): void {}

  httpHandlerConfigs(): Record<string, never> {
    return {};
  }

  destroy(): void {}
}
