import { randomUUID } from 'node:crypto';
import { Signer } from '../../src/kit/signer.ts';
import { nodeDigest } from '../../src/wire/node-digest.ts';

/**
 * The example credentials of AWS's own documentation. Most servers look only at the form of a signature; extenddb
 * verifies it, and these are the ones its developer mode knows.
 */
const accessKeyId = 'AKIAIOSFODNN7EXAMPLE';
const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const region = 'us-east-1';

/** Makes the bytes of requests to one server, with the headers and the signature that the JavaScript SDK sends. */
export class RequestSigner {
  readonly #host: string;
  readonly #signer: Signer;

  /** Signatures are good for a quarter of an hour from `now`. */
  constructor(port: number, now = new Date()) {
    this.#host = `127.0.0.1:${port}`;
    this.#signer = new Signer({
      digest: nodeDigest,
      accessKeyId,
      secretAccessKey,
      region,
      service: 'dynamodb',
      nowMs: now.getTime(),
    });
  }

  request(operation: string, input: object): Buffer {
    const body = Buffer.from(JSON.stringify(input));
    const bodyHash = nodeDigest.sha256(body);
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      'content-length': String(body.length),
      'x-amz-user-agent': 'aws-sdk-js/3.1161.0',
      'user-agent':
        'aws-sdk-js/3.1161.0 ua/2.1 os/linux#6.18 lang/js md/nodejs#20.20.2 api/dynamodb#3.1161.0 m/N,E,P,e',
      host: this.#host,
      'amz-sdk-invocation-id': randomUUID(),
      'amz-sdk-request': 'attempt=1; max=4',
      'x-amz-date': this.#signer.dateTime,
      'x-amz-content-sha256': bodyHash,
    };
    // Proxies may change the user agent, so the SDK does not sign it.
    const { 'user-agent': _, ...signed } = headers;
    const authorization = this.#signer.authorization({ method: 'POST', url: '/', headers: signed, bodyHash });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST / HTTP/1.1\r\n${lines.join('')}authorization: ${authorization}\r\nConnection: keep-alive\r\n\r\n`;
    return Buffer.concat([Buffer.from(head, 'latin1'), body]);
  }
}
