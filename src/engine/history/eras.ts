import { object, text, whole } from '../../model/json/fields.ts';
import { prefixEnd } from '../../model/values/bytes.ts';
import type { Mutation, Reader } from '../../storage/store.ts';
import { jsonRecord, scopeField } from '../json-record.ts';
import { droppedKey, historyNoteKey, type Scope } from '../store-keys.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { eraIn, eraNoteKey, type HistoryPlace, historyPlace, segmentsEnd } from './history-keys.ts';
import { behindEverything, type Cut, endOfEra, firstEra } from './stamp.ts';

/**
 * The order of a table's writes, without a clock.
 *
 * The record of a table holds its era. A write puts the era that it was planned with into the header of its item, and
 * its unit compares the epoch of the record. `beginEra` raises era and epoch together, in one unit that changes
 * settings. The Store contract ("Settings", `storage/store.ts`) promises: when a new epoch is committed, every unit that
 * was decided on the older one has ended, and a unit that is decided later finds the new epoch, writes nothing and is
 * planned again.
 *
 * Claim: a write has an era of at most `k` exactly when it is committed before the change C that begins era `k + 1`.
 *
 * - A unit W that is committed compares the epoch that its table was planned with. If W is committed before C, that
 *   epoch was committed before C too. Eras only rise, with epochs, so W has era `k` or a lower one.
 * - If W is committed after C, it was not decided on the epoch before C: such a unit has ended when C is committed. So
 *   it was decided on C's epoch or a later one, and has era `k + 1` or a higher one.
 *
 * So the cut behind era `k` has every write that was acknowledged before C, and none that begins after C is
 * acknowledged. This is the moment of a backup, an export or a restore. It does not matter what any clock says, how many
 * processes write, nor how long a unit stands still between its decision and its commit.
 *
 * Also, every image that such a cut needs is there. The same change begins the history if the table kept none, so that
 * every write after C, with an era above `k`, has left the image that it replaced.
 *
 * **Times in the past.** Wall time is what people ask by. Each era has a note of the time at which it began. The cut of
 * a time T is the last era that began by T, up to the writes of that era with times up to T. For one T and T' > T the
 * cuts have the same order. Writes of one era have times that are not before the era's beginning and, for one item,
 * rise. Between processes such a cut is as exact as their clocks agree. A clock that goes back by more than
 * `clockToleranceMicros` begins an era (`era-watch.ts`): times that it passes again mean the later pass. A time that was
 * too far ahead therefore ends with its era.
 *
 * **Not chosen.** To reserve order time ahead, in a row of each process: a moment has to exceed all reservations, so
 * writers wait for it, or it for them, and a process with a far-future clock takes everybody along. The era needs no
 * reservation because writers already compare the epoch. A commit sequence of the store: lmdb has one, PostgreSQL has
 * none that is visible before the commit. The time of the commit instead of that of the plan: it is not known either.
 */
export interface EraChange {
  readonly put: TableRecord;
  readonly also: readonly Mutation[];
}

/** The beginning of an era, as JSON under its number. */
export interface EraNote {
  readonly beganMicros: number;
  /** The first era of the period that this era belongs to. */
  readonly period: number;
}

export const { encode: encodeEraNote, decode: decodeEraNote } = jsonRecord<EraNote>(
  'a note of an era',
  1,
  object<EraNote>({ beganMicros: whole, period: whole }),
);

/** A table that keeps old images, as JSON under its storage id. */
export interface HistoryNote {
  readonly scope: Scope;
  readonly tableName: string;
}

const historyNote = jsonRecord<HistoryNote>(
  'a note of old images',
  1,
  object<HistoryNote>({ scope: scopeField, tableName: text }),
);
export const decodeHistoryNote = historyNote.decode;

/**
 * The record with a new era that begins at a time, keeping old images from then on. About once a day the era also
 * begins a period. `stepped` says that the clock went back to this time.
 */
export function beginEra(
  record: TableRecord,
  scope: Scope,
  nowMicros: number,
  stepped: 'stepped' | undefined = undefined,
): EraChange {
  const { storageId, history, recovery } = record;
  const era = (record.order?.era ?? firstEra) + 1;
  const slot = history?.slot ?? record.nextSlot;
  const isOld = history === undefined || Math.abs(nowMicros - history.periodBeganMicros) >= periodMicros;
  const kept = isOld ? { slot, period: era, periodBeganMicros: nowMicros } : history;
  const also: Mutation[] = [
    {
      kind: 'put',
      key: eraNoteKey(historyPlace(storageId, slot), era),
      value: encodeEraNote({ beganMicros: nowMicros, period: kept.period }),
    },
  ];
  if (history === undefined) {
    const value = historyNote.encode({ scope, tableName: record.description.tableName });
    also.push({ kind: 'put', key: historyNoteKey(storageId), value });
  }
  const nowMs = Math.floor(nowMicros / 1000);
  const steppedMs = stepped === undefined ? record.order?.steppedMs : nowMs;
  return {
    put: {
      ...record,
      epoch: record.epoch + 1,
      nextSlot: history === undefined ? slot + 1 : record.nextSlot,
      order: { era, beganMicros: nowMicros, ...(steppedMs !== undefined && { steppedMs }) },
      history: kept,
      // After a clock went back, the first time that means this era or a later one.
      ...(recovery && { recovery: { ...recovery, since: Math.min(recovery.since, nowMs) } }),
    },
    also,
  };
}

/** The cut before the era of a record that has a history: all writes before that era began. */
export function momentBefore({ order, history }: TableRecord): Cut {
  return { ...endOfEra(order!.era - 1), period: history!.period };
}

/** The record without old images, unless somebody still needs them. Its eras go on. */
export function endIdleHistory(record: TableRecord): EraChange {
  const { history, ...rest } = record;
  if (history === undefined || record.recovery !== undefined || (record.readers?.length ?? 0) > 0)
    return { put: record, also: [] };
  const { storageId } = record;
  return {
    put: { ...rest, epoch: record.epoch + 1 },
    also: [
      { kind: 'put', key: droppedKey(storageId, history.slot), value: new Uint8Array() },
      { kind: 'delete', key: historyNoteKey(storageId) },
    ],
  };
}

/** The record without a reader of the past; its history ends with the last one. */
export function withoutReader(record: TableRecord, jobId: string): EraChange | undefined {
  const { readers, ...rest } = record;
  const left = readers?.filter((reader) => reader.jobId !== jobId) ?? [];
  if (readers === undefined || left.length === readers.length) return undefined;
  return endIdleHistory(left.length === 0 ? rest : { ...rest, readers: left });
}

/** A noted era. */
export interface NotedEra extends EraNote {
  readonly era: number;
}

/** The noted eras of a table, latest first. */
export async function* erasOf(reader: Reader, place: HistoryPlace): AsyncGenerator<NotedEra> {
  const from = segmentsEnd(place);
  for (let to = prefixEnd(place.prefix)!; ; ) {
    const { entries, more } = await reader.range({ from, to, reverse: true, limit: notesPerRead });
    for (const { key, value } of entries) yield { era: eraIn(key), ...decodeEraNote(value, key) };
    if (!more || entries.length === 0) return;
    to = entries.at(-1)!.key;
  }
}

/**
 * The cut of a time: the last era that began by then, up to that time. The cut of a time before all eras from `first`
 * on is the one before that era: images of earlier ends may be gone.
 */
export async function cutAt(
  reader: Reader,
  { storageId, history }: Pick<TableRecord, 'storageId' | 'history'>,
  micros: number,
  first = firstEra,
): Promise<Cut> {
  if (history === undefined) return behindEverything;
  let earliest: NotedEra | undefined;
  for await (const noted of erasOf(reader, historyPlace(storageId, history.slot))) {
    if (noted.era < first) break;
    if (noted.beganMicros <= micros) return { era: noted.era, micros, period: noted.period };
    earliest = noted;
  }
  if (earliest === undefined) throw new Error('a table that keeps old images has no note of its era');
  return { ...endOfEra(earliest.era - 1), period: earliest.period };
}

/** The time of a millisecond's end. A time that is asked for in milliseconds has everything that was written in it. */
export function endOfMs(ms: number): number {
  return ms * 1000 + 999;
}

const periodMicros = 86_400_000_000;
const notesPerRead = 64;
