import { createHash, createHmac, randomUUID } from 'node:crypto';

/**
 * The example credentials of AWS's own documentation. Most servers look only at the form of a signature; extenddb
 * verifies it, and these are the ones its developer mode knows.
 */
const accessKeyId = 'AKIAIOSFODNN7EXAMPLE';
const secretAccessKey = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const region = 'us-east-1';

const signedNames = [
  'amz-sdk-invocation-id',
  'amz-sdk-request',
  'content-length',
  'content-type',
  'host',
  'x-amz-content-sha256',
  'x-amz-date',
  'x-amz-target',
  'x-amz-user-agent',
] as const;

/** Makes the bytes of requests to one server, with the headers and the signature that the JavaScript SDK sends. */
export class RequestSigner {
  readonly #host: string;
  readonly #dateTime: string;
  readonly #scope: string;
  readonly #key: Buffer;

  /** Signatures are good for a quarter of an hour from `now`. */
  constructor(port: number, now = new Date()) {
    this.#host = `127.0.0.1:${port}`;
    this.#dateTime = `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
    const date = this.#dateTime.slice(0, 8);
    this.#scope = `${date}/${region}/dynamodb/aws4_request`;
    this.#key = [date, region, 'dynamodb', 'aws4_request'].reduce<Buffer>(
      (key, part) => createHmac('sha256', key).update(part).digest(),
      Buffer.from(`AWS4${secretAccessKey}`),
    );
  }

  request(operation: string, input: object): Buffer {
    const body = Buffer.from(JSON.stringify(input));
    const bodyHash = createHash('sha256').update(body).digest('hex');
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
      'x-amz-date': this.#dateTime,
      'x-amz-content-sha256': bodyHash,
    };
    const signature = this.#sign(headers, bodyHash);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const authorization =
      `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${this.#scope}, ` +
      `SignedHeaders=${signedNames.join(';')}, Signature=${signature}`;
    const head = `POST / HTTP/1.1\r\n${lines.join('')}authorization: ${authorization}\r\nConnection: keep-alive\r\n\r\n`;
    return Buffer.concat([Buffer.from(head, 'latin1'), body]);
  }

  #sign(headers: Readonly<Record<(typeof signedNames)[number], string>>, bodyHash: string): string {
    const fields = signedNames.map((name) => `${name}:${headers[name]}\n`).join('');
    const canonical = `POST\n/\n\n${fields}\n${signedNames.join(';')}\n${bodyHash}`;
    const digest = createHash('sha256').update(canonical).digest('hex');
    return createHmac('sha256', this.#key)
      .update(`AWS4-HMAC-SHA256\n${this.#dateTime}\n${this.#scope}\n${digest}`)
      .digest('hex');
  }
}
