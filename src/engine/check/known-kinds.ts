import { toHex } from '../../model/values/hex.ts';
import {
  alarmHistoryKind,
  alarmKind,
  alarmLeaseKind,
  backupKind,
  chunkKind,
  droppedKind,
  entryKind,
  entryPrefixBytes,
  epochKind,
  expiringKind,
  exportKind,
  fillingKind,
  historyKind,
  importErrorKind,
  importKind,
  jobKind,
  jobsLeaseKind,
  logNoteKind,
  metricKind,
  partitionsKind,
  partitionsLeaseKind,
  readerKind,
  recordKind,
  retiredKind,
  scalingActivityKind,
  scalingKind,
  seededOpeningsKind,
  shardsKind,
  storageIdBytes,
  streamKind,
  sweepKind,
  tokenKind,
  transfersLeaseKind,
  trustedTimeKind,
} from '../store-keys.ts';

/** Every kind of key there is, by its first byte; anything else in a store is not Stator's. */
const knownKinds: readonly number[] = [
  ...[recordKind, epochKind, droppedKind, fillingKind, tokenKind, entryKind, metricKind],
  ...[streamKind, shardsKind, readerKind, expiringKind, sweepKind, partitionsKind, partitionsLeaseKind],
  ...[alarmKind, alarmHistoryKind, scalingKind, scalingActivityKind, alarmLeaseKind],
  ...[historyKind, backupKind, chunkKind, jobKind, retiredKind, jobsLeaseKind],
  ...[importKind, exportKind, transfersLeaseKind, importErrorKind],
  ...[trustedTimeKind, logNoteKind, seededOpeningsKind],
];

/** The ranges of keys between the known kinds, in which there must be nothing. */
export function unknownRanges(): { readonly from: Uint8Array; readonly to: Uint8Array | undefined }[] {
  const edges = [...knownKinds].sort((a, b) => a - b);
  const starts = [0, ...edges.map((kind) => kind + 1)];
  return starts.flatMap((start, i) => {
    const end = edges[i];
    if (start === end) return [];
    const from = start === 0 ? new Uint8Array() : Uint8Array.of(start);
    return [{ from, to: end === undefined ? undefined : Uint8Array.of(end) }];
  });
}

export function rangeOfKind(kind: number): { readonly from: Uint8Array; readonly to: Uint8Array } {
  return { from: Uint8Array.of(kind), to: Uint8Array.of(kind + 1) };
}

/** What a key says after its kind: the storage id, and a slot where there is one. */
export interface DataPlace {
  readonly storageId: string;
  readonly slot: number | undefined;
}

/** Reads a key that has nothing after its kind but a storage id, and a slot maybe. */
export function readPlace(key: Uint8Array): DataPlace | undefined {
  if (key.length !== 1 + storageIdBytes && key.length !== entryPrefixBytes) return undefined;
  return { storageId: storageIdOf(key), slot: key.length === entryPrefixBytes ? slotOf(key) : undefined };
}

/** Reads the beginning of an entry's key. */
export function readEntryPlace(key: Uint8Array): { storageId: string; slot: number } | undefined {
  return key.length <= entryPrefixBytes ? undefined : { storageId: storageIdOf(key), slot: slotOf(key) };
}

function storageIdOf(key: Uint8Array): string {
  return toHex(key.subarray(1, 1 + storageIdBytes));
}

function slotOf(key: Uint8Array): number {
  return (key[1 + storageIdBytes]! << 8) | key[2 + storageIdBytes]!;
}
