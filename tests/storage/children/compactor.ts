// Compacts the data directory it is given.
import { compactLmdb } from '../../../src/storage/lmdb/compact.ts';

await compactLmdb(process.argv[2]!);
