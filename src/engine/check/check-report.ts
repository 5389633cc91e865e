/** What can be wrong with a database, and what that means for whoever reads the report. */
export const findingTitles = {
  'unknown-key': 'a key that belongs to nothing Stator knows',
  'table-record': 'a table record that is damaged or contradicts itself',
  'table-epoch': 'an epoch that is missing, differs from its table’s or has no table',
  'storage-id': 'a storage id that two tables share',
  'dropped-note': 'a note of dropped data that makes no sense',
  'index-note': 'a note of an index being filled that makes no sense',
  'partition-record': 'a record of partitions that is damaged or has no table or index',
  'request-token': 'what is remembered of a transaction, damaged or never to be forgotten',
  'stream-note': 'a stream or its shards that are damaged or contradict the table or the log',
  'log-reader': 'a cursor of a reader of the log that is damaged or lies beyond the log',
  'log-record': 'a record of the change log that cannot be read or is in the wrong place',
  'orphan-entries': 'entries of no known table or index',
  'value-damaged': 'a value that the storage engine cannot read',
  'item-unreadable': 'an item that cannot be decoded',
  'item-key': 'an item under a key that is not its own',
  'item-form': 'an item whose stored form is not the canonical one',
  'item-header': 'an item with an impossible header',
  'item-size': 'an item whose recorded size is not its size',
  'entry-missing': 'an item without its entry in an index',
  'entry-orphan': 'an index entry without its item',
  'entry-unreadable': 'an index entry that cannot be decoded',
  'entry-value': 'an index entry that differs from its item',
  'entry-header': 'an index entry with a header that does not fit its item',
  'expiry-missing': 'an item without its entry among the expiries',
  'expiry-orphan': 'an expiry without its item',
  'expiry-value': 'an expiry that stands for another item',
  'expiry-note': 'a note about expiring items that makes no sense',
  'history-note': 'a note about old images that makes no sense',
  'old-image': 'an old image of an item that cannot be read or is in the wrong place',
  'backup-record': 'a backup that cannot be read',
  'backup-chunk': 'a part of a backup that is missing, damaged or belongs to none',
  'backup-job': 'a backup or restore under way that cannot be read',
  transfer: 'an export or import that cannot be read',
  'other-record': 'an alarm, a scaling record or a refused row that cannot be read',
  'item-count': 'a counter of items or entries that does not add up',
  'size-bytes': 'a counter of bytes that does not add up',
  'collection-bytes': 'a counter of an item collection that does not add up',
} as const;

/** The kinds of findings; `findingTitles` has a title for each. */
export type FindingKind = keyof typeof findingTitles;

/** Something that is wrong in one committed state of the database. */
export interface Finding extends Place {
  readonly kind: FindingKind;
  /** The key attributes in DynamoDB JSON, where they are known. */
  readonly key?: object;
  /** The key in the store, in hexadecimal. */
  readonly storeKey?: string;
  readonly expected: string;
  readonly found: string;
}

export interface Place {
  readonly account?: string;
  readonly region?: string;
  readonly table?: string;
  readonly index?: string;
}

/** Something that could not be judged, because the database was changed meanwhile or a part of it cannot be read. */
export interface Unjudged extends Place {
  readonly what: string;
  readonly why: string;
}

/** The result of a check: what was read, what does not fit together, what could not be judged. */
export interface CheckReport {
  /** True when nothing is wrong. `unjudged` tells whether everything could be looked at. */
  readonly clean: boolean;
  readonly tables: number;
  readonly items: number;
  readonly indexEntries: number;
  /** How many committed states were read: 1 when the whole report is about a single one. */
  readonly states: number;
  /** The first of each kind; `counts` has the numbers of all. */
  readonly findings: readonly Finding[];
  readonly counts: Readonly<Partial<Record<FindingKind, number>>>;
  readonly unjudged: readonly Unjudged[];
}

/** How many findings of one kind a report shows, and how many things that were left unjudged. */
const shownMax = 100;

/** What was found and counted so far, in bounded memory. */
export class CheckResults {
  tables = 0;
  items = 0;
  indexEntries = 0;
  readonly #findings: Finding[] = [];
  readonly #counts = new Map<FindingKind, number>();
  readonly #unjudged: Unjudged[] = [];

  add(finding: Finding): void {
    if (this.#count(finding.kind, 1) <= shownMax) this.#findings.push(finding);
  }

  leaveOut(unjudged: Unjudged): void {
    if (this.#unjudged.length < shownMax) this.#unjudged.push(unjudged);
  }

  /** Takes over the results for a part of the database. */
  merge(part: CheckResults): void {
    this.tables += part.tables;
    this.items += part.items;
    this.indexEntries += part.indexEntries;
    for (const finding of part.#findings) this.add(finding);
    for (const [kind, count] of part.#counts) this.#count(kind, count - Math.min(count, shownMax));
    for (const unjudged of part.#unjudged) this.leaveOut(unjudged);
  }

  report(states: number): CheckReport {
    return {
      clean: this.#counts.size === 0,
      tables: this.tables,
      items: this.items,
      indexEntries: this.indexEntries,
      states,
      findings: this.#findings,
      counts: Object.fromEntries(this.#counts),
      unjudged: this.#unjudged,
    };
  }

  #count(kind: FindingKind, by: number): number {
    const count = (this.#counts.get(kind) ?? 0) + by;
    this.#counts.set(kind, count);
    return count;
  }
}
