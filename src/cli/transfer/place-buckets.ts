import { UsageError } from '../failure.ts';
import type { Settings } from '../settings.ts';
import type { exportOptions } from './transfer-options.ts';

type BucketSettings = Pick<
  Settings<typeof exportOptions>,
  'dataDir' | 's3Dir' | 's3Endpoint' | 'bucket' | 'list'
>;

/** Where the buckets of a data directory are that the command opens. A server knows its own. */
export function s3Of({ dataDir, s3Dir, s3Endpoint, bucket }: Omit<BucketSettings, 'list'>) {
  const isServer = dataDir.source === 'default';
  if (isServer && s3Dir.value !== undefined)
    throw new UsageError(
      'A running server has its own place for buckets.',
      'Leave --s3-dir out, or work on a data directory with --data-dir.',
    );
  if (isServer) return {};
  if (bucket.value !== undefined && s3Dir.value === undefined && s3Endpoint.value === undefined)
    throw new UsageError(
      'Nothing says where buckets are.',
      'Add --s3-dir <directory>, whose folders are the buckets, or --s3-endpoint.',
    );
  return {
    s3: {
      ...(s3Dir.value !== undefined && { directory: s3Dir.value }),
      ...(s3Endpoint.value !== undefined && { endpoint: s3Endpoint.value }),
    },
  };
}
