import { statfsSync } from 'node:fs';
import { StoreError } from '../store-error.ts';

/** Converts an error of LMDB to a StoreError for the store in `directory`. Returns any other error unchanged. */
export function asTrouble(error: unknown, directory: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  const text = error.message;
  if (/MDB_MAP_FULL|MDB_TXN_FULL|ENOSPC|No space left|EDQUOT|quota exceeded|File too large/i.test(text))
    return new StoreError('full', `There is no room left in ${directory}: ${text}`, error);
  if (/MDB_CORRUPTED|MDB_PAGE_NOTFOUND|MDB_INVALID|MDB_VERSION_MISMATCH|MDB_PANIC/.test(text))
    return new StoreError('corrupt', `The data file in ${directory} is damaged: ${text}`, error);
  if (/Input\/output error/i.test(text)) return shortWrite(error, directory);
  // Errors of LMDB and of the system have a code. Our own, which are bugs, have none.
  if (!('code' in error)) return error;
  return new StoreError('unavailable', `The data directory ${directory} cannot be used: ${text}`, error);
}

/**
 * Explains a short write. LMDB reports a write that the disk took only in part as an input/output error; mostly the
 * disk is full.
 */
function shortWrite(error: unknown, directory: string): StoreError {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize < roomToWorkBytes
    ? new StoreError(
        'full',
        `There is no room left in ${directory}: the disk has ${bavail * bsize} bytes free`,
        error,
      )
    : new StoreError(
        'unavailable',
        `The disk did not take a write to ${directory}: a file size limit or quota is reached, or it is failing`,
        error,
      );
}

const roomToWorkBytes = 1024 * 1024;
