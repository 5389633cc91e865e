import { CanonicalWriter } from '../../model/json/canonical-json.ts';
import type { Hash16 } from '../../model/keys/keys.ts';
import { changeEventOf } from '../../model/stored/change-event.ts';
import { decodeItem, itemJson, readItemBytes } from '../../model/stored/stored-item.ts';
import type { KeySchemaElement } from '../../model/tables/table-description.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { concatBytes } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import { itemSize } from '../../model/values/item-size.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import type { FollowedChange } from '../change-log/follow.ts';
import type { OutgoingRecord } from './deliverer.ts';
import type { Precision } from './destination.ts';

/** What all records of a table have in common. */
export interface RecordSource {
  readonly region: string;
  readonly tableName: string;
  readonly storageId: string;
  readonly keySchema: readonly KeySchemaElement[];
  readonly reader: string;
}

/**
 * The service's record, members in its order (observed: user reports, 2021 to 2024). A record that
 * is delivered twice has the same eventID, by which a consumer can know it. The partition key is, as there, 32
 * hexadecimal digits; how the service comes to its digits is unknown, only that they are an item's own (guess).
 */
export function kinesisRecord(
  { region, tableName, storageId, keySchema, reader }: RecordSource,
  precision: Precision | undefined,
  { bucket, position, change }: FollowedChange,
  h16: Hash16,
): OutgoingRecord {
  const { before, after, writtenMicros, by } = change;
  const keys = keysOf(keySchema, decodeItem((after ?? before)!));
  const keysJson = jsonOf(keys);
  const eventName = changeEventOf(before, after);
  const sizeBytes =
    itemSize(keys) +
    (after === undefined ? 0 : readItemBytes(after)) +
    (before === undefined ? 0 : readItemBytes(before));
  const head = {
    awsRegion: region,
    eventID: uuidOf(h16(encodeUtf8(`${storageId}/${reader}/${bucket}/${position}`))),
    eventName,
    userIdentity: by === 'ttl' ? timeToLive : null,
    recordFormat: 'application/json',
    tableName,
  };
  const time = precision === 'MICROSECOND' ? writtenMicros : Math.floor(writtenMicros / 1000);
  const tail = {
    SizeBytes: sizeBytes,
    ...(precision && { ApproximateCreationDateTimePrecision: precision }),
  };
  const chunks = [
    `${JSON.stringify(head).slice(0, -1)},"dynamodb":{"ApproximateCreationDateTime":${time},"Keys":`,
    keysJson,
    ...(after === undefined ? [] : [',"NewImage":', itemJson(after)]),
    ...(before === undefined ? [] : [',"OldImage":', itemJson(before)]),
    `,${JSON.stringify(tail).slice(1)},"eventSource":"aws:dynamodb"}`,
  ];
  return {
    partitionKey: partitionKeyOf(keysJson, storageId, h16),
    data: concatBytes(...chunks.map((chunk) => (typeof chunk === 'string' ? encodeUtf8(chunk) : chunk))),
  };
}

/** Who deletes what has expired; in lower case here, unlike in the records of DynamoDB Streams. */
const timeToLive = { principalId: 'dynamodb.amazonaws.com', type: 'Service' };

function partitionKeyOf(keysJson: Uint8Array, storageId: string, h16: Hash16): string {
  return toHex(h16(concatBytes(encodeUtf8(storageId), keysJson))).toUpperCase();
}

function keysOf(keySchema: readonly KeySchemaElement[], item: Item): Item {
  return new Map(keySchema.map(({ AttributeName: name }) => [name, item.get(name)!]));
}

function jsonOf(item: Item): Uint8Array {
  const writer = new CanonicalWriter(256);
  writer.item(item);
  return writer.finish();
}

function uuidOf(hash: Uint8Array): string {
  const hex = toHex(hash);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}
