import { measureCollections } from '../growth/collection.ts';
import { measureScan } from '../growth/scan.ts';
import { measureSizes } from '../growth/sizes.ts';
import { oneOf, type Report, type Suite } from '../suite.ts';

const parts = { sizes: measureSizes, collection: measureCollections, scan: measureScan };

/** What happens to reads and writes when there is more to read and write: sizes, collection, scan, or all three. */
export const growth: Suite = async (options, onProgress) => {
  const names = Object.keys(parts) as (keyof typeof parts)[];
  const chosen = options.what.length === 0 ? names : options.what.map((word) => oneOf(names, word, 'part'));
  const reports: Report[] = [];
  for (const name of chosen) reports.push(await parts[name](options, onProgress));
  return {
    findings: reports.flatMap(({ findings }) => findings),
    tables: reports.flatMap(({ tables }) => tables),
    notes: reports.flatMap(({ notes }) => notes),
  };
};
