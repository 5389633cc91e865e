export type ContentCoding = 'gzip' | 'deflate';

interface Wish {
  quality: number;
  position: number;
}

/**
 * Chooses the coding of an answer. The rules are the service's (observed: Alternator's tests,
 * test_compressed_response.py, 2025):
 *
 * - `identity` never wins over a coding, however high its quality.
 * - `*` stands for the codings that the header does not name.
 * - A quality above 1 counts as 1, and so does a quality that is not a number.
 * - If an entry has several qualities, the first counts. A blank before its `=` makes it something else than a quality:
 *   `gzip;q =0;q=1` is compressed.
 */
export function chooseCoding(acceptEncoding: string): ContentCoding | undefined {
  const wishes = new Map<string, Wish>();
  for (const [position, entry] of acceptEncoding.split(',').entries()) {
    const [coding = '', ...parameters] = entry.split(';');
    const name = coding.trim().toLowerCase();
    const quality = qualityOf(parameters);
    const earlier = wishes.get(name);
    if (earlier === undefined || quality > earlier.quality) wishes.set(name, { quality, position });
  }
  const unnamed: Wish = { quality: wishes.get('*')?.quality ?? 0, position: Number.POSITIVE_INFINITY };
  const gzip = wishes.get('gzip') ?? unnamed;
  const deflate = wishes.get('deflate') ?? unnamed;
  if (gzip.quality <= 0 && deflate.quality <= 0) return undefined;
  if (gzip.quality !== deflate.quality) return gzip.quality > deflate.quality ? 'gzip' : 'deflate';
  return gzip.position <= deflate.position ? 'gzip' : 'deflate';
}

function qualityOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=');
    if (equals === -1 || parameter.slice(0, equals).trimStart().toLowerCase() !== 'q') continue;
    const quality = Number(parameter.slice(equals + 1).trim());
    return Number.isNaN(quality) ? 1 : Math.min(Math.max(quality, 0), 1);
  }
  return 1;
}
