import type { Hash16 } from '../../model/keys/keys.ts';
import type { Reader, Store } from '../../storage/store.ts';
import { epochKey, recordKey } from '../store-keys.ts';
import { prepareTable } from '../tables/table-record.ts';
import { checkBackups } from './check-backups.ts';
import { type Census, checkCatalogue } from './check-catalogue.ts';
import { checkHistories } from './check-history.ts';
import { checkLog } from './check-log.ts';
import { checkOrphans } from './check-orphans.ts';
import { checkOtherRecords } from './check-other-records.ts';
import { isLiving, type KnownRecord, readRecord } from './check-record.ts';
import { type CheckReport, CheckResults } from './check-report.ts';
import { type CheckContext, checkTable, tableChanged } from './check-table.ts';
import { checkTokens } from './check-tokens.ts';
import { checkTransfers } from './check-transfers.ts';
import { CommittedStates, type Pace } from './committed-states.ts';
import { readableValue } from './lookups.ts';
import { pageLimits } from './range-pages.ts';
import { ReadableStates } from './readable-states.ts';

/** How a check of the database reports its progress and is stopped. */
export interface CheckOptions {
  /** Told after every step. */
  readonly onProgress?: (progress: CheckProgress) => void;
  /** Ends the check, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** How far a check has come. */
export interface CheckProgress {
  /** Items and index entries looked at so far. */
  readonly done: number;
  /** How many there were at the beginning, by the counters. */
  readonly total: number;
}

export interface CheckSettings extends CheckOptions, Pace {
  /** Whether nobody writes to the store while it is checked. */
  readonly standsStill: boolean;
  /** How many entries are looked at in one step, during which others wait. */
  readonly entriesPerStep?: number;
}

/**
 * Checks a whole database: records, epochs and notes, every item and index entry with its counterpart, every counter,
 * the change log, and that there is nothing else. It only reads, in bounded memory, and the database may be written to
 * meanwhile: all findings are of single committed states, and what cannot be judged in one is reported as such.
 *
 * Counters are found by what they count. One that counts nothing any more, of an item collection that is gone or of a
 * table that was dropped, cannot be found.
 */
export async function checkDatabase(
  store: Store,
  h16: Hash16,
  settings: CheckSettings,
): Promise<CheckReport> {
  settings.signal?.throwIfAborted();
  const states = new CommittedStates(store, settings);
  const results = new CheckResults();
  try {
    await states.next();
    const readable = new ReadableStates(states, results);
    const reader = await readable.current();
    const census = await checkCatalogue(reader, results);
    readable.census = census;
    const total = await countAll(reader, census);
    let done = 0;
    const context: CheckContext = {
      states,
      h16,
      standsStill: settings.standsStill,
      entriesPerStep: settings.entriesPerStep ?? pageLimits.entries,
      stepped: async (entries) => {
        done += entries;
        settings.signal?.throwIfAborted();
        settings.onProgress?.({ done, total });
        await settings.pause();
      },
    };
    for (const known of census.records.values())
      if (isLiving(known.record)) await checkCurrent(context, known, results);
    const around: CheckContext = { ...context, states: readable };
    await checkTokens(around, results);
    await checkHistories(around, census, results);
    await checkBackups(around, results);
    await checkTransfers(around, results);
    await checkOtherRecords(around, results);
    await checkLog(around, store, census, results);
    await checkOrphans(around, census, results);
    return results.report(states.number);
  } finally {
    await states.close();
  }
}

/** How often a table that is changed while it is checked is begun anew. */
const triesMax = 5;

/** Checks a table as it is by now, unless it is gone. */
async function checkCurrent(
  context: CheckContext,
  { scope, name, record }: KnownRecord,
  results: CheckResults,
): Promise<void> {
  for (let tries = 0; tries < triesMax; tries++) {
    const reader = await (tries === 0 ? context.states.current() : context.states.next());
    const bytes = await readableValue(reader, recordKey(scope, name));
    const epoch = await readableValue(reader, epochKey(record.storageId));
    if (bytes === undefined) return;
    const known = readRecord({ scope, name }, bytes);
    // Another table may have the name by now; that one is younger than the check.
    if ('expected' in known || known.record.storageId !== record.storageId || !isLiving(known.record)) return;
    const found = await checkTable(context, prepareTable(scope, known.record), epoch);
    if (found !== tableChanged) return results.merge(found);
  }
  results.leaveOut({
    ...scope,
    table: name,
    what: 'its items and indexes',
    why: 'the table was changed again and again while it was checked',
  });
}

async function countAll(reader: Reader, { records }: Census): Promise<number> {
  let total = 0;
  for (const { scope, record } of records.values()) {
    if (!isLiving(record)) continue;
    const table = prepareTable(scope, record);
    const counts = [table, ...table.indexes].map(({ counters }) => counters.count);
    for (const count of await reader.counters(counts)) total += count;
  }
  return total;
}
