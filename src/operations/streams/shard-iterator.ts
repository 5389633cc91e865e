import type { ShardPlace } from '../../engine/change-log/streams.ts';
import type { Hash16 } from '../../model/keys/keys.ts';
import { timeLimits } from '../../model/limits.ts';
import { decodeBase64, encodeBase64, isBase64 } from '../../model/values/base64.ts';
import { concatBytes, equalBytes } from '../../model/values/bytes.ts';
import { fromHex } from '../../model/values/hex.ts';
import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';

/**
 * A shard iterator: the stream's ARN, as on the service, and an opaque text behind it that says where in which shard,
 * and since when. The text is sealed with a hash over it, the ARN and the table's storage id, which no client knows.
 */
export interface ShardIterator extends ShardPlace {
  readonly shardNumber: number;
  readonly issuedAt: number;
}

export const iteratorMsMax = timeLimits.shardIteratorMinutes * 60_000;

const sealBytes = 16;
const separator = '|1|';

export function formatIterator(
  arn: string,
  storageId: string,
  { shardNumber, after, fromHorizon, issuedAt }: ShardIterator,
  h16: Hash16,
): string {
  const body = encodeUtf8(JSON.stringify([shardNumber, after, fromHorizon ? 1 : 0, issuedAt]));
  return arn + separator + encodeBase64(concatBytes(seal(arn, storageId, body, h16), body));
}

/** The ARN that an iterator begins with, without a look at the rest; undefined for what cannot be an iterator. */
export function arnOfIterator(text: string): string | undefined {
  const end = text.indexOf(separator);
  return end === -1 ? undefined : text.slice(0, end);
}

/** Undefined for anything that is not as it was issued. */
export function readIterator(text: string, storageId: string, h16: Hash16): ShardIterator | undefined {
  const arn = arnOfIterator(text);
  if (arn === undefined) return undefined;
  const sealed = text.slice(arn.length + separator.length);
  if (!isBase64(sealed)) return undefined;
  const bytes = decodeBase64(sealed);
  if (bytes.length <= sealBytes) return undefined;
  const body = bytes.subarray(sealBytes);
  if (!equalBytes(bytes.subarray(0, sealBytes), seal(arn, storageId, body, h16))) return undefined;
  const [shardNumber, after, fromHorizon, issuedAt] = JSON.parse(decodeUtf8(body)) as number[];
  return { shardNumber: shardNumber!, after: after!, fromHorizon: fromHorizon === 1, issuedAt: issuedAt! };
}

function seal(arn: string, storageId: string, body: Uint8Array, h16: Hash16): Uint8Array {
  return h16(concatBytes(fromHex(storageId), encodeUtf8(`${arn}|`), body));
}
