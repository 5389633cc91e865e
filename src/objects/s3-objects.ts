import {
  type BucketRequester,
  type Objects,
  ObjectsError,
  type ObjectsErrorCode,
  type StoredObject,
  type WrittenObject,
} from '../engine/transfers/objects.ts';
import { isMissingPackage } from '../model/missing-package.ts';
import { defaultAccountId } from './bucket-owners.ts';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface S3ObjectsOptions {
  /** The URL of an S3 endpoint, or `aws` for the real one. */
  readonly endpoint: string;
  readonly region: string;
  readonly credentials?: S3Credentials;
}

type S3Package = typeof import('@aws-sdk/client-s3');

interface Loaded {
  readonly sdk: S3Package;
  readonly client: InstanceType<S3Package['S3Client']>;
}

/** Buckets of an S3 endpoint, by the AWS SDK, which is loaded when it is first needed. */
export class S3Objects implements Objects {
  readonly #options: S3ObjectsOptions;
  readonly #requester: BucketRequester | undefined;
  #loaded: Promise<Loaded> | undefined;

  constructor(options: S3ObjectsOptions, requester?: BucketRequester) {
    this.#options = options;
    this.#requester = requester;
  }

  forRequester(requester: BucketRequester): S3Objects {
    return new S3Objects(this.#options, requester);
  }

  /**
   * The owner that the endpoint must find, which it answers with a 403 otherwise. An account of Stator asks for buckets of its
   * own number only. The default account stands for the server's credentials, and takes the owner that it is given.
   */
  #owner(): { readonly ExpectedBucketOwner?: string } {
    if (this.#requester === undefined) return {};
    const { account, expectedOwner } = this.#requester;
    const owner = expectedOwner ?? (account === defaultAccountId ? undefined : account);
    if (account !== defaultAccountId && owner !== account)
      throw new ObjectsError('S3AccessDenied', 'The bucket belongs to another account');
    return owner === undefined ? {} : { ExpectedBucketOwner: owner };
  }

  async *list(bucket: string, prefix: string, signal: AbortSignal): AsyncIterable<StoredObject> {
    const { sdk, client } = await this.#load();
    let token: string | undefined;
    do {
      const request = new sdk.ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        ...this.#owner(),
        ...(token !== undefined && { ContinuationToken: token }),
      });
      const page = await client.send(request, { abortSignal: signal }).catch(rethrow);
      for (const { Key, Size } of page.Contents ?? [])
        if (Key !== undefined) yield { key: Key, bytes: Size ?? 0 };
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  /**
   * A connection may break while the rows of a large object are written: S3 closes one that is read slowly. Reading goes
   * on behind the last byte, of the same version of the object, unless several attempts in a row bring nothing.
   */
  async *read(bucket: string, key: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const { sdk, client } = await this.#load();
    let at = 0;
    let version: { readonly etag: string | undefined; readonly bytes: number | undefined } | undefined;
    for (let breaks = 0; ; ) {
      const request = new sdk.GetObjectCommand({
        ...{ Bucket: bucket, Key: key, ...this.#owner() },
        ...(at > 0 && {
          Range: `bytes=${at}-`,
          ...(version?.etag !== undefined && { IfMatch: version.etag }),
        }),
      });
      const answer = await client.send(request, { abortSignal: signal }).catch(rethrow);
      if (answer.Body === undefined) return;
      version ??= { etag: answer.ETag, bytes: answer.ContentLength };
      const skipped = at > 0 && answer.ContentRange === undefined ? at : 0;
      try {
        let read = 0;
        for await (const chunk of answer.Body as unknown as AsyncIterable<Uint8Array>) {
          // A server that knows no ranges begins at the beginning.
          const behind = chunk.subarray(Math.min(chunk.length, Math.max(0, skipped - read)));
          read += chunk.length;
          if (behind.length === 0) continue;
          at += behind.length;
          breaks = 0;
          yield behind;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (at === version.bytes) return;
        if (++breaks < breaksMax) continue;
        throw new ObjectsError('S3Error', `Reading ${key} broke off: ${messageOf(error)}`, { cause: error });
      }
    }
  }

  async write(bucket: string, key: string, body: Uint8Array, signal: AbortSignal): Promise<WrittenObject> {
    const { sdk, client } = await this.#load();
    const request = new sdk.PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ...this.#owner() });
    const { ETag } = await client.send(request, { abortSignal: signal }).catch(rethrow);
    return { etag: (ETag ?? '').replaceAll('"', '') };
  }

  #load(): Promise<Loaded> {
    this.#loaded ??= this.#start().catch((error: unknown) => {
      this.#loaded = undefined;
      throw error;
    });
    return this.#loaded;
  }

  async #start(): Promise<Loaded> {
    const sdk = await import('@aws-sdk/client-s3').catch((error: unknown) => {
      if (!isMissingPackage(error)) throw error;
      throw new ObjectsError(
        'S3Error',
        'This needs the package @aws-sdk/client-s3, which is not installed: npm install @aws-sdk/client-s3',
        { cause: error },
      );
    });
    const { endpoint, region, credentials } = this.#options;
    const client = new sdk.S3Client({
      region,
      maxAttempts: 4,
      ...(endpoint !== 'aws' && { endpoint, forcePathStyle: true }),
      // A copy, because the SDK writes members of its own into the object.
      ...(credentials && { credentials: { ...credentials } }),
    });
    return { sdk, client };
  }
}

/** After so many broken connections without a byte, reading an object ends. */
const breaksMax = 4;

/** S3's names for a missing bucket, a missing key and a lack of permission. */
const codes: Readonly<Record<string, ObjectsErrorCode>> = {
  NoSuchBucket: 'S3NoSuchBucket',
  NoSuchKey: 'S3NoSuchKey',
  NotFound: 'S3NoSuchKey',
  AccessDenied: 'S3AccessDenied',
  Forbidden: 'S3AccessDenied',
  InvalidAccessKeyId: 'S3AccessDenied',
  SignatureDoesNotMatch: 'S3AccessDenied',
};

function rethrow(error: unknown): never {
  if ((error as Error | undefined)?.name === 'AbortError') throw error;
  const code = codes[(error as Error | undefined)?.name ?? ''] ?? 'S3Error';
  throw new ObjectsError(code, messageOf(error), { cause: error });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
