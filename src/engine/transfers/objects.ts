/**
 * The bucket store that exports are written to and imports are read from; handed in, since it is the world's affair.
 * Every failure that concerns a bucket or a key is an `ObjectsError`, whose code goes into the description of the job.
 */
export interface Objects {
  /** The same buckets, as far as a requester may use them. Others are refused with `S3AccessDenied`. */
  forRequester(requester: BucketRequester): Objects;
  /** Lists the objects whose keys start with a prefix, in the order of their keys. */
  list(bucket: string, prefix: string, signal: AbortSignal): AsyncIterable<StoredObject>;
  read(bucket: string, key: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Writes a whole object. It appears complete or not at all, and replaces an older one. */
  write(bucket: string, key: string, body: Uint8Array, signal: AbortSignal): Promise<WrittenObject>;
}

/** The account on whose behalf a bucket is used. */
export interface BucketRequester {
  readonly account: string;
  /** The owner that the request expects the bucket to have: its S3BucketOwner. */
  readonly expectedOwner: string | undefined;
}

/** The tools of a transfer, with the buckets that its account may use. */
export function toolsFor(tools: TransferTools, requester: BucketRequester): TransferTools {
  return { ...tools, objects: tools.objects.forRequester(requester) };
}

export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
}

export interface WrittenObject {
  readonly etag: string;
}

/** The codes that the service puts into FailureCode (observed: ACK, October 2026). */
export type ObjectsErrorCode = 'S3NoSuchBucket' | 'S3AccessDenied' | 'S3NoSuchKey' | 'S3Error';

export class ObjectsError extends Error {
  readonly code: ObjectsErrorCode;

  constructor(code: ObjectsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type Compression = 'NONE' | 'GZIP' | 'ZSTD';

/** What a transfer needs of its surroundings. */
export interface TransferTools {
  readonly objects: Objects;
  gzip(bytes: Uint8Array): Promise<Uint8Array>;
  /** Undoes a compression. Throws a `DamagedData` for bytes that are not what they claim to be. */
  unpack(compression: Compression, packed: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  md5(bytes: Uint8Array): Uint8Array;
}
