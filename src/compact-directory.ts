import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gives the free space of a data directory back to the disk, and tells its size before and after; undefined when
 * there is no data in the directory. Nobody may have it open.
 */
export async function compactDirectory(
  directory: string,
): Promise<{ bytesBefore: number; bytesAfter: number } | undefined> {
  const { dataFileName } = await import('./storage/lmdb/lmdb-environment.ts');
  if (!existsSync(join(directory, dataFileName))) return undefined;
  const { compactLmdb } = await import('./storage/lmdb/compact.ts');
  return compactLmdb(directory);
}
