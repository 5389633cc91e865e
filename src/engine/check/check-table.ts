import type { Hash16 } from '../../model/keys/keys.ts';
import { equalBytes, keyAfter, prefixEnd } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import type { Entry, Reader } from '../../storage/store.ts';
import { DamagedValue } from '../../storage/store-error.ts';
import type { TableExpiry } from '../expiry/expiry-entries.ts';
import { sameEpoch, type Table, type TableIndex } from '../tables/table-record.ts';
import {
  addCounterFinding,
  type CounterClaim,
  collectionClaim,
  failedClaims,
  slotClaims,
  sumUp,
} from './check-counters.ts';
import { checkEntries } from './check-entries.ts';
import { checkExpiries } from './check-expiries.ts';
import { checkItems, type Sized } from './check-items.ts';
import { CheckResults } from './check-report.ts';
import type { CheckStates } from './committed-states.ts';
import { isDamage, readableValue } from './lookups.ts';
import { placeOf, shownKey } from './shown.ts';
import { SlotWalk } from './slot-walk.ts';

/** What the checks of all tables have in common. */
export interface CheckContext {
  readonly states: CheckStates;
  readonly h16: Hash16;
  /** Whether nobody can write meanwhile, so that all states are the same. */
  readonly standsStill: boolean;
  readonly entriesPerStep: number;
  /** Called after every step with the entries it took: lets others have their turn, and ends an aborted check. */
  stepped(entries: number): Promise<void>;
}

/** The table was changed or dropped while it was checked: what was found of it so far is of no use. */
export const tableChanged = Symbol('table changed');

/**
 * Checks one table: every item with its index entries, every index entry with its item, and every counter.
 *
 * Each page is judged in one committed state, so writers make no false findings. Sums are of one state when the walk
 * fits into one. A sum of several states that does not fit its counter is made again in one; when the table is too
 * large for that as well, the counter is left unjudged rather than suspected.
 *
 * `epoch` is what lay in the store beside the table's record, right or wrong: when it is no longer the same, the table
 * was changed.
 */
export async function checkTable(
  context: CheckContext,
  table: Table,
  epoch: Uint8Array | undefined,
): Promise<CheckResults | typeof tableChanged> {
  const check = new TableCheck(context, table, epoch);
  try {
    await check.run();
    return check.results;
  } catch (error) {
    if (error === tableChanged) return tableChanged;
    throw error;
  }
}

class TableCheck {
  readonly results = new CheckResults();
  readonly #context: CheckContext;
  readonly #table: Table;
  readonly #epoch: Uint8Array | undefined;
  /** The item collections that the walks are in the middle of. */
  readonly #collections = new Map<string, Collection>();
  #latest: Collection | undefined;
  /** The walks that go side by side. */
  #walks: readonly SlotWalk[] = [];
  /** Whether a part of them could not be read. */
  #collectionsLost = false;
  /** The state in which the table was last known to be what it was. */
  #state = 0;

  constructor(context: CheckContext, table: Table, epoch: Uint8Array | undefined) {
    this.#context = context;
    this.#table = table;
    this.#epoch = epoch;
  }

  async run(): Promise<void> {
    this.results.tables = 1;
    const walks = this.#table.indexes.map((index) => new SlotWalk(this.#table, index));
    // Entries in item collections have the same hashes as their items, so that walks side by side have a whole
    // collection behind them at the same time.
    await this.#walk([new SlotWalk(this.#table), ...walks.filter(isInCollection)]);
    for (const walk of walks) if (!isInCollection(walk)) await this.#walk([walk]);
    if (this.#table.expiry !== undefined) await this.#walkExpiries(this.#table.expiry);
  }

  async #walk(walks: readonly SlotWalk[]): Promise<void> {
    await this.#reader();
    const began = this.#context.states.number;
    this.#walks = walks;
    for (;;) {
      const behind = walks
        .filter(({ done }) => !done)
        .reduce<SlotWalk | undefined>((a, b) => (a === undefined || b.isBehind(a) ? b : a), undefined);
      if (behind === undefined) break;
      await this.#step(behind);
      await this.#judge(this.#finishedCollections(walks));
    }
    const exact = this.#isExact(began);
    for (const walk of walks) await this.#judge(slotClaims(this.#table, walk, exact));
  }

  /** Nobody counts them, so there is nothing to sum up. */
  async #walkExpiries(expiry: TableExpiry): Promise<void> {
    const { entriesPerStep, h16, stepped } = this.#context;
    const to = prefixEnd(expiry.prefix)!;
    for (let from = expiry.prefix; ; ) {
      const reader = await this.#reader();
      try {
        const { entries, more } = await reader.range({ from, to, limit: entriesPerStep });
        await checkExpiries(reader, this.#table, expiry, entries, h16, this.results);
        const last = entries.at(-1);
        if (!more || last === undefined) return;
        from = keyAfter(last.key);
      } catch (error) {
        if (!isDamage(error)) throw error;
        this.#leaveDamaged(undefined, error.message);
        return;
      }
      await stepped(0);
    }
  }

  async #step(walk: SlotWalk): Promise<void> {
    const reader = await this.#reader();
    let entries: readonly Entry[];
    try {
      entries = await walk.nextPage(reader, this.#context.entriesPerStep);
    } catch (error) {
      if (!isDamage(error)) throw error;
      const key = error instanceof DamagedValue ? error.key : undefined;
      if (key !== undefined && walk.skip(key)) this.#passDamaged(walk.index, key, error.message);
      else {
        this.#leaveDamaged(walk.index, error.message);
        walk.giveUp();
      }
      // Its part of the collections is missing from here on.
      if (isInCollection(walk)) this.#collectionsLost = true;
      return;
    }
    const { h16 } = this.#context;
    const sized =
      walk.index === undefined
        ? await checkItems(reader, this.#table, entries, h16, this.results)
        : await checkEntries(reader, this.#table, walk.index, entries, h16, this.results);
    for (const [i, { key }] of entries.entries()) {
      walk.add(sized[i]?.bytes);
      if (isInCollection(walk)) this.#collect(walk, key, sized[i]);
    }
    if (walk.index === undefined) this.results.items += entries.length;
    else this.results.indexEntries += entries.length;
    await this.#context.stepped(entries.length);
  }

  /** The walk goes on behind it. It is counted, but its size is not known. */
  #passDamaged(index: TableIndex | undefined, key: Uint8Array, message: string): void {
    const place = placeOf(this.#table, index);
    const storeKey = toHex(key);
    this.results.add({
      kind: 'value-damaged',
      ...place,
      storeKey,
      expected: 'a readable value',
      found: message,
    });
    this.results.leaveOut({ ...place, what: 'the sum of sizes', why: 'a value is damaged' });
  }

  /** The engine below cannot say where the next readable value is, so the rest of the walk is lost. */
  #leaveDamaged(index: TableIndex | undefined, message: string): void {
    const place = placeOf(this.#table, index);
    this.results.add({ kind: 'value-damaged', ...place, expected: 'a readable value', found: message });
    this.results.leaveOut({
      ...place,
      what: 'what lies beyond the damaged value, and the counters',
      why: 'the storage engine cannot read on',
    });
  }

  #collect(walk: SlotWalk, key: Uint8Array, found: Sized | undefined): void {
    if (!this.#table.hasCollections) return;
    const collection = this.#collectionOf(walk, walk.hashOf(key));
    if (found === undefined) collection.known = false;
    else {
      collection.sum += found.bytes;
      collection.key ??= partitionKey(this.#table, found);
    }
  }

  #collectionOf(walk: SlotWalk, hash: Uint8Array): Collection {
    // Most often the one before: the items of a collection lie together.
    if (this.#latest !== undefined && equalBytes(this.#latest.hash, hash)) return this.#latest;
    const name = toHex(hash);
    let collection = this.#collections.get(name);
    if (collection === undefined) {
      // Another walk may have passed the place in an earlier state, before there was anything.
      const isMet = this.#walks.some((other) => other !== walk && other.hasPassed(hash));
      const began = isMet ? noState : this.#context.states.number;
      collection = { hash, sum: 0, known: true, began, key: undefined };
      this.#collections.set(name, collection);
    }
    this.#latest = collection;
    return collection;
  }

  #finishedCollections(walks: readonly SlotWalk[]): CounterClaim[] {
    const claims: CounterClaim[] = [];
    for (const [name, collection] of this.#collections) {
      if (!walks.every((walk) => walk.hasPassed(collection.hash))) continue;
      this.#collections.delete(name);
      if (collection === this.#latest) this.#latest = undefined;
      if (!collection.known || this.#collectionsLost) continue;
      const { hash, sum, key, began } = collection;
      claims.push(collectionClaim(this.#table, hash, { sum, key, exact: this.#isExact(began) }));
    }
    return claims;
  }

  async #judge(claims: readonly CounterClaim[]): Promise<void> {
    if (claims.length === 0) return;
    const reader = await this.#context.states.current();
    for (const { claim, found } of await failedClaims(reader, claims)) {
      if (claim.exact) addCounterFinding(claim, found, this.results);
      else await this.#judgeAgain(claim);
    }
  }

  /** In one state of its own, as far as its time allows. */
  async #judgeAgain(claim: CounterClaim): Promise<void> {
    const { states, stepped } = this.#context;
    const reader = await this.#confirmed(await states.next());
    const sum = await sumUp(reader, claim, async () => {
      await stepped(0);
      return !states.isOld;
    });
    if (sum === undefined) {
      this.results.leaveOut({
        ...claim.place,
        what: claim.counts === 'entries' ? 'the number of entries' : 'the sum of sizes',
        why: 'the table is written to, and too large to be counted in one moment',
      });
      return;
    }
    for (const failed of await failedClaims(reader, [{ ...claim, sum }]))
      addCounterFinding(failed.claim, failed.found, this.results);
  }

  #isExact(began: number): boolean {
    return this.#context.standsStill || began === this.#context.states.number;
  }

  /** A state to read the next page in; never one in which the table is no longer what it was. */
  async #reader(): Promise<Reader> {
    const { states } = this.#context;
    return this.#confirmed(await (states.isOld ? states.next() : states.current()));
  }

  async #confirmed(reader: Reader): Promise<Reader> {
    const { number } = this.#context.states;
    if (this.#state === number) return reader;
    const epoch = await readableValue(reader, this.#table.epochKey);
    if (epoch === undefined ? this.#epoch !== undefined : !sameEpoch(this.#epoch, epoch)) throw tableChanged;
    this.#state = number;
    return reader;
  }
}

const noState = -1;

interface Collection {
  readonly hash: Uint8Array;
  sum: number;
  /** Whether the sizes of all its items and entries could be told. */
  known: boolean;
  /** The state in which its first entry was read, or `noState` if its entries may be of several. */
  readonly began: number;
  key: object | undefined;
}

function partitionKey(table: Table, { item }: Sized): object {
  const { name } = table.schema.hash;
  return Object.fromEntries(Object.entries(shownKey(table, item)).filter(([each]) => each === name));
}

/** Whether a walk goes through items, or through entries that lie in their collections. */
function isInCollection({ index }: SlotWalk): boolean {
  return index === undefined || index.traits.collection === 'of the item';
}
