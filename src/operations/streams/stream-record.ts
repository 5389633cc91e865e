import type { LoggedChange } from '../../engine/change-log/read-bucket.ts';
import { type BucketName, recordSequenceNumber } from '../../engine/change-log/sequence-number.ts';
import { generationOf, type Shard } from '../../engine/change-log/shards.ts';
import type { StreamNote } from '../../engine/change-log/stream-note.ts';
import type { Hash16 } from '../../model/keys/keys.ts';
import { changeEventOf } from '../../model/stored/change-event.ts';
import { itemJson, readItemBytes } from '../../model/stored/stored-item.ts';
import { concatBytes } from '../../model/values/bytes.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import { KeyFinder } from './key-finder.ts';

/**
 * The records of a page as JSON, written into one array. Images are copied as they are stored, and the key attributes
 * out of one of them; nothing is parsed. A page may have a thousand records, so that what they have in common is made
 * once.
 */
export class StreamRecords {
  readonly #bucket: BucketName;
  readonly #h16: Hash16;
  readonly #keys: KeyFinder;
  readonly #showsNew: boolean;
  readonly #showsOld: boolean;
  readonly #region: Uint8Array;
  readonly #end: string;
  /** What the ids of events are hashes of: a hash of the stream's name, then the sequence number of the record. */
  readonly #idSource: Uint8Array;
  readonly #written: WrittenRecord[] = [];
  #sizeBytes = 0;
  #bytes = new Uint8Array();
  #at = 0;

  /** Of one shard of a stream, whose records are all in one bucket. */
  constructor(stream: StreamNote, shard: Shard, h16: Hash16) {
    const { storageId, label, region, viewType, keySchema } = stream;
    this.#bucket = { bucket: shard.bucket, generation: generationOf(shard) };
    this.#h16 = h16;
    this.#keys = new KeyFinder(keySchema.map(({ AttributeName }) => AttributeName));
    this.#showsNew = viewType === 'NEW_IMAGE' || viewType === 'NEW_AND_OLD_IMAGES';
    this.#showsOld = viewType === 'OLD_IMAGE' || viewType === 'NEW_AND_OLD_IMAGES';
    this.#region = encodeUtf8(
      `","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":${JSON.stringify(region)},` +
        '"dynamodb":{"ApproximateCreationDateTime":',
    );
    this.#end = `,"StreamViewType":"${viewType}"}`;
    this.#idSource = concatBytes(
      h16(encodeUtf8(`${storageId}/${label}`)),
      new Uint8Array(recordSequenceNumber(this.#bucket, 0).length),
    );
  }

  /** Adds a record, unless the page has some and would count more bytes with it than it may. */
  add(logged: LoggedChange, pageBytesMax: number): boolean {
    const { before, after } = logged.change;
    const newImage = this.#showsNew ? after : undefined;
    const oldImage = this.#showsOld ? before : undefined;
    this.#keys.find(itemJson((after ?? before)!));
    const sizeBytes =
      this.#keys.sizeBytes() +
      (newImage === undefined ? 0 : readItemBytes(newImage)) +
      (oldImage === undefined ? 0 : readItemBytes(oldImage));
    if (this.#written.length > 0 && this.#sizeBytes + sizeBytes > pageBytesMax) return false;
    this.#sizeBytes += sizeBytes;
    if (this.#written.length > 0) this.#text(',');
    const start = this.#at;
    this.#write(logged, sizeBytes, newImage, oldImage);
    this.#written.push({ logged, start, end: this.#at });
    return true;
  }

  /** The JSON of some of the records that were added, with commas between them; mostly it is all of them. */
  chunks(shown: readonly LoggedChange[]): (string | Uint8Array)[] {
    if (shown.length === this.#written.length) return [this.#bytes.subarray(0, this.#at)];
    const chosen = new Set(shown);
    return this.#written
      .filter(({ logged }) => chosen.has(logged))
      .flatMap(({ start, end }, i) => [...(i > 0 ? [','] : []), this.#bytes.subarray(start, end)]);
  }

  #write(
    { position, change }: LoggedChange,
    sizeBytes: number,
    newImage: Uint8Array | undefined,
    oldImage: Uint8Array | undefined,
  ): void {
    const sequenceNumber = recordSequenceNumber(this.#bucket, position);
    this.#text('{"eventID":"');
    this.#hex(this.#eventId(sequenceNumber));
    this.#text('","eventName":"');
    this.#text(changeEventOf(change.before, change.after));
    this.#copy(this.#region);
    // Rounded down, as documented.
    this.#text(String(Math.floor(change.writtenMicros / 1_000_000)));
    this.#text(',"Keys":{');
    for (const [i, member] of this.#keys.members().entries()) {
      if (i > 0) this.#text(',');
      this.#copy(member);
    }
    this.#text('}');
    if (newImage !== undefined) {
      this.#text(',"NewImage":');
      this.#copy(itemJson(newImage));
    }
    if (oldImage !== undefined) {
      this.#text(',"OldImage":');
      this.#copy(itemJson(oldImage));
    }
    this.#text(',"SequenceNumber":"');
    this.#text(sequenceNumber);
    this.#text('","SizeBytes":');
    this.#text(String(sizeBytes));
    this.#text(this.#end);
    this.#text(change.by === 'ttl' ? `,"userIdentity":${timeToLive}}` : '}');
  }

  #eventId(sequenceNumber: string): Uint8Array {
    const source = this.#idSource;
    const from = source.length - sequenceNumber.length;
    for (let i = 0; i < sequenceNumber.length; i++) source[from + i] = sequenceNumber.charCodeAt(i);
    return this.#h16(source);
  }

  /** Of ASCII only. */
  #text(text: string): void {
    this.#reserve(text.length);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
    this.#at = at;
  }

  #hex(source: Uint8Array): void {
    this.#reserve(source.length * 2);
    for (let i = 0; i < source.length; i++) {
      this.#bytes[this.#at++] = hexDigit(source[i]! >> 4);
      this.#bytes[this.#at++] = hexDigit(source[i]! & 15);
    }
  }

  #copy(source: Uint8Array): void {
    this.#reserve(source.length);
    this.#bytes.set(source, this.#at);
    this.#at += source.length;
  }

  #reserve(more: number): void {
    const needed = this.#at + more;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2, firstBytes));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}

interface WrittenRecord {
  readonly logged: LoggedChange;
  readonly start: number;
  readonly end: number;
}

/** Most pages that have records have few. */
const firstBytes = 8_192;

/** Who deletes what has expired. */
const timeToLive = JSON.stringify({ PrincipalId: 'dynamodb.amazonaws.com', Type: 'Service' });

function hexDigit(value: number): number {
  return value + (value < 10 ? 0x30 : 0x61 - 10);
}
