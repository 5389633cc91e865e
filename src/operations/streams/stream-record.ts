import type { LoggedChange } from '../../engine/change-log/read-bucket.ts';
import { recordSequenceNumber } from '../../engine/change-log/sequence-number.ts';
import type { StreamNote } from '../../engine/change-log/stream-note.ts';
import { toHex } from '../../engine/randomness.ts';
import type { Item } from '../../model/attribute-value.ts';
import { itemSize } from '../../model/item-size.ts';
import type { Hash16 } from '../../model/keys.ts';
import { decodeItem, itemJson, readItemBytes } from '../../model/stored-item.ts';
import { encodeUtf8 } from '../../model/utf8.ts';
import { jsonOf } from '../item-answer.ts';

/** A record of a stream, ready to be sent: its JSON in pieces, and what it counts for a page. */
export interface StreamRecord {
  readonly sizeBytes: number;
  readonly chunks: readonly (string | Uint8Array)[];
}

/** Images are copied as they are stored; only the key attributes are taken out of one. */
export function streamRecord(
  stream: StreamNote,
  bucket: number,
  { position, change }: LoggedChange,
  h16: Hash16,
): StreamRecord {
  const { before, after } = change;
  const { viewType } = stream;
  const keys = keysOf(stream, decodeItem((after ?? before)!));
  const showsNew = after !== undefined && (viewType === 'NEW_IMAGE' || viewType === 'NEW_AND_OLD_IMAGES');
  const showsOld = before !== undefined && (viewType === 'OLD_IMAGE' || viewType === 'NEW_AND_OLD_IMAGES');
  const sequenceNumber = recordSequenceNumber(bucket, position);
  const sizeBytes =
    itemSize(keys) + (showsNew ? readItemBytes(after) : 0) + (showsOld ? readItemBytes(before) : 0);
  const eventId = toHex(h16(encodeUtf8(`${stream.storageId}/${stream.label}/${sequenceNumber}`)));
  const eventName = before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY';
  // Rounded down, as documented.
  const seconds = Math.floor(change.writtenMicros / 1_000_000);
  const tail = { SequenceNumber: sequenceNumber, SizeBytes: sizeBytes, StreamViewType: viewType };
  return {
    sizeBytes,
    chunks: [
      `{"eventID":"${eventId}","eventName":"${eventName}","eventVersion":"1.1","eventSource":"aws:dynamodb",`,
      `"awsRegion":${JSON.stringify(stream.region)},"dynamodb":{"ApproximateCreationDateTime":${seconds},"Keys":`,
      jsonOf(keys),
      ...(showsNew ? [',"NewImage":', itemJson(after)] : []),
      ...(showsOld ? [',"OldImage":', itemJson(before)] : []),
      `,${JSON.stringify(tail).slice(1)}`,
      change.by === 'ttl' ? `,"userIdentity":${JSON.stringify(timeToLive)}}` : '}',
    ],
  };
}

/** Who deletes what has expired. */
const timeToLive = { PrincipalId: 'dynamodb.amazonaws.com', Type: 'Service' };

function keysOf({ keySchema }: StreamNote, item: Item): Item {
  return new Map(keySchema.map(({ AttributeName: name }) => [name, item.get(name)!]));
}
