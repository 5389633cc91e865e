/**
 * Gives the free space of a data directory back to the disk, and tells its size before and after; undefined when
 * there is no data in the directory. Nobody may have it open.
 */
export async function compactDirectory(
  directory: string,
): Promise<{ bytesBefore: number; bytesAfter: number } | undefined> {
  const { hasData } = await import('./storage/lmdb/current-file.ts');
  if (!hasData(directory)) return undefined;
  const { compactLmdb } = await import('./storage/lmdb/compact-file.ts');
  return compactLmdb(directory);
}
