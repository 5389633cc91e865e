import { measureCollections } from '../growth/collection.ts';
import { measureScan } from '../growth/scan.ts';
import { measureSizes } from '../growth/sizes.ts';
import { suiteOf } from '../suite.ts';

/** What happens to reads and writes when there is more to read and write: sizes, collection, scan, or all three. */
export const growth = suiteOf({ sizes: measureSizes, collection: measureCollections, scan: measureScan });
