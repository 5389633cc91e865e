import { join } from 'node:path';
import { type Deliverer, nowhere } from '../engine/destinations/deliverer.ts';
import { FileDeliverer } from './file-deliverer.ts';
import { MemoryDeliverer } from './memory-deliverer.ts';
import { type KinesisCredentials, StreamDeliverer } from './stream-deliverer.ts';

/** Where the records of Kinesis destinations go. */
export interface KinesisOptions {
  /** The URL of a Kinesis endpoint, or `aws`. Needs the package `@aws-sdk/client-kinesis`. */
  readonly endpoint?: string;
  /** For that endpoint; the SDK finds its own for Amazon's, and others take any. */
  readonly credentials?: KinesisCredentials;
  /** Without an endpoint: a directory with a file of JSON lines for each stream. */
  readonly directory?: string;
}

/** `data`: the directory that the database itself is in, or `memory`. */
export function chooseDeliverer(
  { endpoint, credentials, directory }: KinesisOptions,
  data: { readonly directory: string } | 'memory' | undefined,
): Deliverer {
  if (endpoint !== undefined) return new StreamDeliverer({ endpoint, ...(credentials && { credentials }) });
  if (directory !== undefined) return new FileDeliverer(directory);
  if (data === 'memory') return new MemoryDeliverer();
  return data === undefined ? nowhere : new FileDeliverer(join(data.directory, 'kinesis'));
}
