// Compacts the data directory it is given.
import { compactLmdb } from '../../../src/storage/lmdb/compact-file.ts';

await compactLmdb(process.argv[2]!);
