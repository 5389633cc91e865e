import { mkdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { Stator, type StatorServer } from '../../src/index.ts';
import { Signer } from '../../src/kit/signer.ts';
import { nodeDigest } from '../../src/wire/node-digest.ts';
import { newDirectory } from '../storage/directories.ts';

export const accounts = { a: '111111111111', b: '222222222222' } as const;
export type Key = 'a' | 'b' | 'root';
export const secret = 'secret-of-b';

export interface Reply {
  readonly status: number;
  readonly type: string | undefined;
  readonly message: string | undefined;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

function modelOf(name: string, accountId?: string) {
  return {
    ...(accountId !== undefined && { accountId }),
    model: { format: 'stator-model/1' as const, name },
    design: { format: 'stator-design/1' as const, model: name, tables: [{ name: 'orders' }] },
  };
}

const services = {
  DynamoDB_20120810: { signed: 'dynamodb', type: 'application/x-amz-json-1.0' },
  DynamoDBStreams_20120810: { signed: 'dynamodb', type: 'application/x-amz-json-1.0' },
  GraniteServiceVersion20100801: { signed: 'monitoring', type: 'application/x-amz-json-1.0' },
  AnyScaleFrontendService: { signed: 'application-autoscaling', type: 'application/x-amz-json-1.1' },
} as const;

export type Prefix = keyof typeof services;

/** A server that verifies signatures, with a key for each of two accounts and one for its administrator. */
export class TwoAccounts {
  readonly db: Stator;
  readonly server: StatorServer;

  private constructor(db: Stator, server: StatorServer) {
    this.db = db;
    this.server = server;
  }

  static async start(): Promise<TwoAccounts> {
    const directory = await newDirectory();
    for (const bucket of ['of-a', 'of-b']) await mkdir(join(directory, bucket));
    const db = await Stator.open({ observe: true, s3: { directory } });
    const server = await db.listen({
      port: 0,
      models: [modelOf('of-nobody'), ...Object.values(accounts).map((id) => modelOf(`of-${id}`, id))],
      auth: 'verify',
      credentials: [
        { accessKeyId: 'a', secretAccessKey: 's', accountId: accounts.a },
        { accessKeyId: 'b', secretAccessKey: 's', accountId: accounts.b },
        { accessKeyId: 'root', secretAccessKey: 's', administrator: true },
      ],
    });
    return new TwoAccounts(db, server);
  }

  /** Calls an operation with a verified signature. */
  call(key: Key, prefix: Prefix, operation: string, input: object): Promise<Reply> {
    const { signed, type } = services[prefix];
    return this.#send(key, signed, 'POST', '/', JSON.stringify(input), {
      'content-type': type,
      'x-amz-target': `${prefix}.${operation}`,
    });
  }

  dynamo(key: Key, operation: string, input: object): Promise<Reply> {
    return this.call(key, 'DynamoDB_20120810', operation, input);
  }

  streams(key: Key, operation: string, input: object): Promise<Reply> {
    return this.call(key, 'DynamoDBStreams_20120810', operation, input);
  }

  control(key: Key, method: string, path: string, body?: object): Promise<Reply> {
    return this.#send(key, 'dynamodb', method, path, body === undefined ? '' : JSON.stringify(body), {});
  }

  #send(
    accessKeyId: Key,
    service: string,
    method: string,
    path: string,
    sent: string,
    own: Readonly<Record<string, string>>,
  ): Promise<Reply> {
    const { host, port } = this.server;
    const signer = new Signer({
      digest: nodeDigest,
      ...{ accessKeyId, secretAccessKey: 's', region: 'us-east-1', service, nowMs: Date.now() },
    });
    const signedOf = { host: `${host}:${port}`, 'x-amz-date': signer.dateTime, ...own };
    const authorization = signer.authorization({
      ...{ method, url: path, headers: signedOf, bodyHash: nodeDigest.sha256(sent) },
    });
    return new Promise((resolve, reject) => {
      const headers = { ...signedOf, authorization };
      const asked = request({ host, port, method, path, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          text += piece;
          // The rates of a live page never end.
          if (path.startsWith('/_stator/live')) response.destroy();
        });
        response.on('close', () => resolve(replyOf(response.statusCode!, text)));
      });
      asked.on('error', reject);
      asked.end(sent);
    });
  }
}

function replyOf(status: number, text: string): Reply {
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // Metrics are no JSON.
  }
  const type = typeof body.__type === 'string' ? body.__type.replace(/^.*#/, '') : undefined;
  const message = body.message ?? body.Message ?? body.error;
  return { status, type, message: typeof message === 'string' ? message : undefined, text, body };
}
