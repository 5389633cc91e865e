/**
 * Returns the free space of a data directory to the disk. Returns its size before and after, or undefined if the
 * directory contains no data. No process may have the directory open.
 */
export async function compactDirectory(
  directory: string,
): Promise<{ bytesBefore: number; bytesAfter: number } | undefined> {
  const { hasData } = await import('./storage/lmdb/current-file.ts');
  if (!hasData(directory)) return undefined;
  const { compactLmdb } = await import('./storage/lmdb/compact-file.ts');
  return compactLmdb(directory);
}
