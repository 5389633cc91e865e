import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { newDirectory } from '../storage/directories.ts';

/** A small S3 server, which is not ours. It has no types. */
const S3rver = createRequire(import.meta.url)('s3rver') as new (
  options: object,
) => { run(): Promise<AddressInfo>; close(): Promise<void> };

export const s3Credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

export interface S3Peer {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** Starts an S3 server with one bucket. */
export async function startS3(bucket: string): Promise<S3Peer> {
  const directory = await newDirectory();
  const peer = new S3rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, directory },
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await peer.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async close() {
      await peer.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
