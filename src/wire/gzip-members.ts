import { crc32, inflateRaw } from 'node:zlib';

/**
 * Inflates the members of a gzip body up to the first thing that is no member. zlib refuses what it cannot read behind
 * the last member; the service ignores it, as Java's GZIPInputStream does (observed: Alternator's tests,
 * test_compressed_request.py, 2025). The answer is undefined if the first member, or one with a sound header, is
 * damaged.
 */
export async function gunzipMembers(bytes: Uint8Array, bytesMax: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let total = 0;
  for (let at = 0; at < bytes.length; ) {
    const body = bodyOfMember(bytes, at);
    if (body === undefined) break;
    const inflated = await rawInflated(bytes.subarray(body), bytesMax - total);
    if (inflated === undefined) return undefined;
    const end = body + inflated.consumed;
    if (!trailerFits(bytes, end, inflated.data)) return undefined;
    parts.push(inflated.data);
    total += inflated.data.length;
    at = end + trailerBytes;
  }
  return parts.length === 0 ? undefined : Buffer.concat(parts);
}

const trailerBytes = 8;
const flags = { headerCrc: 2, extra: 4, name: 8, comment: 16, reserved: 0xe0 };

/** Where the deflated data of a member begins; undefined if there is no header (RFC 1952, section 2.3). */
function bodyOfMember(bytes: Uint8Array, at: number): number | undefined {
  if (at + 10 > bytes.length || bytes[at] !== 0x1f || bytes[at + 1] !== 0x8b || bytes[at + 2] !== 8)
    return undefined;
  const flag = bytes[at + 3]!;
  if ((flag & flags.reserved) !== 0) return undefined;
  let next = at + 10;
  if (flag & flags.extra) next += 2 + bytes[next]! + 256 * bytes[next + 1]!;
  for (const text of [flags.name, flags.comment]) {
    if ((flag & text) === 0) continue;
    const end = bytes.indexOf(0, next);
    if (end < 0) return undefined;
    next = end + 1;
  }
  if (flag & flags.headerCrc) next += 2;
  return next < bytes.length ? next : undefined;
}

function trailerFits(bytes: Uint8Array, at: number, data: Uint8Array): boolean {
  if (at + trailerBytes > bytes.length) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, trailerBytes);
  return view.getUint32(0, true) === crc32(data) && view.getUint32(4, true) === data.length % 2 ** 32;
}

interface Inflated {
  readonly data: Uint8Array;
  /** Bytes of the input up to the end of the deflated data. */
  readonly consumed: number;
}

function rawInflated(bytes: Uint8Array, bytesMax: number): Promise<Inflated | undefined> {
  return new Promise((resolve) => {
    const options = { info: true, maxOutputLength: Math.max(1, bytesMax) };
    inflateRaw(bytes, options, (error, found) => {
      if (error !== null) return resolve(undefined);
      // With `info` the callback gets the engine too, which the types do not say.
      const { buffer, engine } = found as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
      resolve({ data: buffer, consumed: engine.bytesWritten });
    });
  });
}
