import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { TransferTools } from '../engine/transfers/objects.ts';
import { FolderObjects } from './folder-objects.ts';
import { type S3Credentials, S3Objects } from './s3-objects.ts';
import { unpack } from './unpack.ts';

/** Where buckets are. */
export interface S3Options {
  /** The URL of an S3 endpoint, or `aws`. Needs the package `@aws-sdk/client-s3`. */
  readonly endpoint?: string;
  /** For that endpoint; without them the SDK finds its own. */
  readonly credentials?: S3Credentials;
  /** Without an endpoint: a directory in which every folder is a bucket. */
  readonly directory?: string;
}

/** What transfers need of the world; undefined if nobody said where buckets are. */
export function chooseObjects(
  { endpoint, credentials, directory }: S3Options,
  region: string,
): TransferTools | undefined {
  if (endpoint === undefined && directory === undefined) return undefined;
  const objects =
    endpoint === undefined
      ? new FolderObjects(directory!)
      : new S3Objects({ endpoint, region, ...(credentials && { credentials }) });
  return {
    objects,
    gzip: (bytes) => promisify(gzip)(bytes),
    unpack,
    md5: (bytes) => createHash('md5').update(bytes).digest(),
  };
}
