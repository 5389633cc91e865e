import { memoryBounds } from './constants.ts';

const { activeKeysMax, namedKeysMax, keyNameLengthMax } = memoryBounds;

/** The load of one partition key. */
export interface KeyLoad {
  readonly place: number;
  /** The key as its owner shows it, if the key was hot enough to be asked for its name. */
  readonly name: string | undefined;
  /** Units a second over about the last second, granted or not. */
  readonly readAsked: number;
  readonly writeAsked: number;
  /** Units granted, and requests refused, in the last minute with any. */
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly refused: number;
}

/** The fields of an entry, all doubles: 88 bytes. */
const resourceField = 0;
const placeField = 1;
const secondField = 2;
const minuteField = 3;
const readNow = 4;
const readBefore = 5;
const writeNow = 6;
const writeBefore = 7;
const minuteUnits = 8;
const minuteReads = 9;
const minuteRefused = 10;
const fields = 11;

const ways = 4;
const entriesMin = 256;

/** A key that takes this many units a minute, a tenth of what a partition can write, is asked for its name. */
const namedFromUnits = 6_000;

/**
 * The partition keys of all tables that are in use, with their load.
 *
 * Every key has one set of four entries that it may take. A key that finds its set full replaces the entry with the
 * least load in the current minute, so that heavy keys stay and a flood of rare keys only replaces rare keys. An entry
 * takes 88 bytes, the name of a hot one up to about 100 more; there are at most 16,384 entries (1.4 MB) and 1,024
 * names. The table begins with 256 entries and grows when it fills.
 */
export class HotKeys {
  #entries = new Float64Array(0);
  #used = 0;
  readonly #names = new Map<string, string>();

  /** Bytes held for entries, for tests of the bound. */
  get entryBytes(): number {
    return this.#entries.byteLength;
  }

  get nameCount(): number {
    return this.#names.size;
  }

  /** Notes granted units. Answers whether the name of the key is wanted. */
  charge(resource: number, place: number, isWrite: boolean, units: number, nowMs: number): boolean {
    const at = this.#entryFor(resource, place, nowMs);
    const entries = this.#entries;
    entries[at + (isWrite ? writeNow : readNow)]! += units;
    if (!isWrite) entries[at + minuteReads]! += units;
    const before = entries[at + minuteUnits]!;
    const after = before + units;
    entries[at + minuteUnits] = after;
    return before < namedFromUnits && after >= namedFromUnits && !this.#names.has(nameKey(resource, place));
  }

  /** Notes that units were asked for and refused. */
  refuse(resource: number, place: number, isWrite: boolean, units: number, nowMs: number): void {
    const at = this.#entryFor(resource, place, nowMs);
    this.#entries[at + (isWrite ? writeNow : readNow)]! += units;
    this.#entries[at + minuteRefused]! += 1;
  }

  /** Units a second that a key asks for at present. */
  asked(resource: number, place: number, isWrite: boolean, nowMs: number): number {
    const at = this.#find(resource, place);
    return at < 0 ? 0 : this.#perSecond(at, isWrite ? writeNow : readNow, nowMs);
  }

  nameOf(resource: number, place: number): string | undefined {
    return this.#names.get(nameKey(resource, place));
  }

  name(resource: number, place: number, text: string): void {
    const key = nameKey(resource, place);
    this.#names.delete(key);
    if (this.#names.size >= namedKeysMax) {
      const oldest = this.#names.keys().next();
      if (oldest.done !== true) this.#names.delete(oldest.value);
    }
    this.#names.set(key, text.length > keyNameLengthMax ? `${text.slice(0, keyNameLengthMax - 1)}…` : text);
  }

  /** The busiest keys of a table or index, busiest first. */
  top(resource: number, count: number, nowMs: number): KeyLoad[] {
    const entries = this.#entries;
    const minute = Math.floor(nowMs / 60_000);
    const found: KeyLoad[] = [];
    for (let at = 0; at < entries.length; at += fields) {
      if (entries[at + resourceField] !== resource + 1) continue;
      const noted = entries[at + minuteField]!;
      if (noted > minute || noted < minute - 1) continue;
      const place = entries[at + placeField]!;
      const readUnits = entries[at + minuteReads]!;
      found.push({
        place,
        name: this.nameOf(resource, place),
        readAsked: this.#perSecond(at, readNow, nowMs),
        writeAsked: this.#perSecond(at, writeNow, nowMs),
        readUnits,
        writeUnits: entries[at + minuteUnits]! - readUnits,
        refused: entries[at + minuteRefused]!,
      });
    }
    // As Contributor Insights weighs them: a write is worth three reads.
    const weight = (load: KeyLoad) => 3 * load.writeUnits + load.readUnits + load.refused;
    return found.sort((a, b) => weight(b) - weight(a)).slice(0, count);
  }

  /** Forgets the keys of a table or index. */
  forget(resource: number): void {
    const entries = this.#entries;
    for (let at = 0; at < entries.length; at += fields)
      if (entries[at + resourceField] === resource + 1) {
        entries.fill(0, at, at + fields);
        this.#used--;
      }
    const prefix = `${resource}:`;
    for (const key of this.#names.keys()) if (key.startsWith(prefix)) this.#names.delete(key);
  }

  #perSecond(at: number, field: number, nowMs: number): number {
    const entries = this.#entries;
    const second = Math.floor(nowMs / 1000);
    const noted = entries[at + secondField]!;
    const passed = nowMs / 1000 - second;
    if (noted === second) return entries[at + field]! + entries[at + field + 1]! * (1 - passed);
    return noted === second - 1 ? entries[at + field]! * (1 - passed) : 0;
  }

  #find(resource: number, place: number): number {
    const entries = this.#entries;
    if (entries.length === 0) return -1;
    const first = this.#setOf(resource, place);
    for (let at = first; at < first + ways * fields; at += fields)
      if (entries[at + placeField] === place && entries[at + resourceField] === resource + 1) return at;
    return -1;
  }

  /** The entry of a key, brought to the current second and minute; a new one if the key has none. */
  #entryFor(resource: number, place: number, nowMs: number): number {
    if (this.#used * 4 >= (this.#entries.length / fields) * 3) this.#grow();
    const entries = this.#entries;
    const second = Math.floor(nowMs / 1000);
    const minute = Math.floor(second / 60);
    const first = this.#setOf(resource, place);
    let rarest = first;
    let least = Number.POSITIVE_INFINITY;
    for (let at = first; at < first + ways * fields; at += fields) {
      if (entries[at + placeField] === place && entries[at + resourceField] === resource + 1) {
        if (entries[at + secondField] !== second) this.#turn(at, second, minute);
        return at;
      }
      const load =
        entries[at + resourceField] === 0
          ? -2
          : entries[at + minuteField] === minute
            ? entries[at + minuteUnits]!
            : -1;
      if (load < least) {
        least = load;
        rarest = at;
      }
    }
    if (least === -2) this.#used++;
    entries.fill(0, rarest, rarest + fields);
    entries[rarest + resourceField] = resource + 1;
    entries[rarest + placeField] = place;
    entries[rarest + secondField] = second;
    entries[rarest + minuteField] = minute;
    return rarest;
  }

  #turn(at: number, second: number, minute: number): void {
    const entries = this.#entries;
    const follows = entries[at + secondField] === second - 1;
    entries[at + readBefore] = follows ? entries[at + readNow]! : 0;
    entries[at + writeBefore] = follows ? entries[at + writeNow]! : 0;
    entries[at + readNow] = 0;
    entries[at + writeNow] = 0;
    entries[at + secondField] = second;
    if (entries[at + minuteField] === minute) return;
    entries[at + minuteField] = minute;
    entries[at + minuteUnits] = 0;
    entries[at + minuteReads] = 0;
    entries[at + minuteRefused] = 0;
  }

  #setOf(resource: number, place: number): number {
    const sets = this.#entries.length / (ways * fields);
    // The upper and the lower 32 bits of the place: the operator takes numbers modulo 2^32.
    const bits = (place / 0x200000) ^ place ^ Math.imul(resource + 1, 0x9e3779b1);
    const mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
    return ((mixed ^ (mixed >>> 15)) & (sets - 1)) * ways * fields;
  }

  #grow(): void {
    const count = this.#entries.length / fields;
    if (count >= activeKeysMax) return;
    const before = this.#entries;
    this.#entries = new Float64Array((count === 0 ? entriesMin : count * 4) * fields);
    this.#used = 0;
    for (let at = 0; at < before.length; at += fields) {
      if (before[at + resourceField] === 0) continue;
      const first = this.#setOf(before[at + resourceField]! - 1, before[at + placeField]!);
      for (let to = first; to < first + ways * fields; to += fields) {
        if (this.#entries[to + resourceField] !== 0) continue;
        this.#entries.set(before.subarray(at, at + fields), to);
        this.#used++;
        break;
      }
    }
  }
}

function nameKey(resource: number, place: number): string {
  return `${resource}:${place}`;
}
