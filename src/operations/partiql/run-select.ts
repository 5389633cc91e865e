import { type Consumed, sumConsumed } from '../../engine/consumed.ts';
import type { Engine } from '../../engine/engine.ts';
import type { PageRead } from '../../engine/reads/read-page.ts';
import { itemTouch, passed, type Road, type Touch } from '../../engine/road.ts';
import type { Table } from '../../engine/tables/table-record.ts';
import type { Select } from '../../expressions/partiql/resolve-statement.ts';
import type { Condition } from '../../expressions/tree.ts';
import { DynamoError } from '../../model/errors.ts';
import { type Hash16, partitionPrefix } from '../../model/keys/keys.ts';
import { requestLimits } from '../../model/limits.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { decodeItem, readItemBytes } from '../../model/stored/stored-item.ts';
import { projectForIndex } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { nowMs } from '../../runtime/clock.ts';
import { plainItem } from '../items/item-answer.ts';
import type { RequestRoad } from '../request-road.ts';
import { readConsistency, startKeyOf } from '../search/read-target.ts';
import type { TableReference } from '../table-reference.ts';
import {
  type Continuation,
  nextToken,
  readNextToken,
  type TokenBinding,
  tokenMismatch,
} from './next-token.ts';
import {
  planSelect,
  type QueriesPlan,
  queryPage,
  type SelectPagePlan,
  type SelectPlan,
  scanPage,
} from './select-plan.ts';

/** What a page of a SELECT found, filters not yet applied. */
export interface Selected {
  readonly found: readonly Found[];
  /** The size of the entries, in DynamoDB's bytes. */
  readonly bytes: number;
  readonly consumed: Consumed;
  /** Where the statement goes on; undefined when it is done. */
  readonly next: { readonly token: string; readonly lastKey: object | undefined } | undefined;
}

/** The entries of one read, as they are stored, and which of them are meant. */
export interface Found {
  readonly entries: readonly Uint8Array[];
  readonly filter: Condition | undefined;
  /** What a filter gets to see of an entry, where that is not all of it. */
  readonly seen: ((item: Item) => Item) | undefined;
}

export interface SelectRequest {
  readonly select: Select;
  readonly consistent: boolean | undefined;
  readonly limit: number | undefined;
  readonly token: string | undefined;
  readonly binding: TokenBinding;
}

/** Runs one page of a SELECT. */
export function runSelect(
  road: RequestRoad,
  reference: TableReference,
  request: SelectRequest,
): MaybePromise<Selected | DynamoError> {
  return selectOn(road.engine, road, reference, request);
}

/** A statement may come down to several reads. It passes its road once, with the touches of all of them. */
function selectOn(
  engine: Engine,
  road: Road,
  reference: TableReference,
  request: SelectRequest,
): MaybePromise<Selected | DynamoError> {
  return whenDone(engine.table(reference.scope, reference.tableName), (table) => {
    if (table instanceof DynamoError) return table;
    const plan = planSelect(table, request.select, request.consistent, nowMs(engine.clock));
    const isSeveral = !(plan instanceof DynamoError) && plan.kind === 'queries' && plan.reads.length > 1;
    const start = isSeveral ? readNextToken(request.token, request.binding, table, engine.h16) : undefined;
    // The engine tells whether an error is about a table that is no longer the one that was asked for.
    const passesHere = isSeveral && start !== undefined && !(start instanceof DynamoError);
    if (passesHere) {
      const refusals = road.pass(() => readTouches(plan, start.read, engine.h16));
      if (refusals !== undefined) return refusals.first;
    }
    const ownRoad = passesHere ? passed(road) : road;
    const reading = new SelectReading(engine, ownRoad, reference, request, table, plan);
    const run = plan instanceof DynamoError || plan.kind !== 'get' ? reading.pages() : reading.item();
    return whenDone(run, (done) =>
      done === planChanged ? selectOn(engine, ownRoad, reference, request) : done,
    );
  });
}

/** The touches of a plan's Queries from one of them on. */
function readTouches({ target, reads }: QueriesPlan, first: number, h16: Hash16): readonly Touch[] {
  return reads.slice(first).map(({ condition: { hash } }) => {
    const attributes = new Map(hash.map((value, i) => [target.key.hash[i]!.name, value]));
    const key = partitionPrefix(target.prefix, hash, h16);
    return itemTouch('read', target.table, key, attributes, target.index);
  });
}

/** The table was changed after the plan was made, and the statement is now done in another way. */
const planChanged = new DynamoError('InternalServerError', 'the plan of a statement has changed');

class SelectReading {
  readonly #engine: Engine;
  readonly #road: Road;
  readonly #reference: TableReference;
  readonly #request: SelectRequest;
  #table: Table;
  #plan: SelectPlan | DynamoError;
  readonly #found: Found[] = [];
  #bytes = 0;
  #evaluated = 0;
  readonly #consumed: Consumed[] = [];

  constructor(
    engine: Engine,
    road: Road,
    reference: TableReference,
    request: SelectRequest,
    table: Table,
    plan: SelectPlan | DynamoError,
  ) {
    this.#engine = engine;
    this.#road = road;
    this.#reference = reference;
    this.#request = request;
    this.#table = table;
    this.#plan = plan;
  }

  /** One item by its key. */
  item(): MaybePromise<Selected | DynamoError> {
    const { token, consistent } = this.#request;
    if (token !== undefined) return tokenMismatch();
    const read = this.#engine.readItem(this.#road, this.#reference, readConsistency(consistent), (table) => {
      const plan = this.#planOn(table);
      if (plan instanceof DynamoError) return plan;
      return plan.kind === 'get' ? plan.key : planChanged;
    });
    return whenDone(read, (found): Selected | DynamoError => {
      if (found instanceof DynamoError) return found;
      const { stored, consumed } = found;
      return {
        found: [{ entries: stored === undefined ? [] : [stored], filter: undefined, seen: undefined }],
        bytes: stored === undefined ? 0 : readItemBytes(stored),
        consumed,
        next: undefined,
      };
    });
  }

  /**
   * Reads one after the other, until the limits of a page are reached or all of them are done. A page of several reads
   * ends with the one in which it reaches 1 MB; how the service shares that limit out among them is unknown (guess).
   */
  pages(continuation?: Continuation): MaybePromise<Selected | DynamoError> {
    let at = continuation;
    let hash: Hash16 | undefined;
    const page = this.#engine.readPage(
      this.#road,
      this.#reference,
      (table, h16): SelectPagePlan | DynamoError => {
        hash = h16;
        const plan = this.#planOn(table);
        if (plan instanceof DynamoError) return plan;
        if (plan.kind === 'get') return planChanged;
        const start = at ?? readNextToken(this.#request.token, this.#request.binding, table, h16);
        if (start instanceof DynamoError) return start;
        at = start;
        const { limit, consistent } = this.#request;
        const place = {
          startKey: start.startKey,
          limit: limit === undefined ? undefined : limit - this.#evaluated,
          consistency: readConsistency(consistent),
        };
        if (plan.kind === 'scan') return scanPage(plan, place, h16);
        const read = plan.reads[start.read];
        return read === undefined ? tokenMismatch() : queryPage(plan, read, place, h16);
      },
    );
    return whenDone(page, (done) => {
      if (done instanceof DynamoError) return done;
      return this.#take(done, at!, hash!);
    });
  }

  /** The plan for a table: the one that was made already, unless the table is another by now. */
  #planOn(table: Table): SelectPlan | DynamoError {
    if (table === this.#table) return this.#plan;
    this.#table = table;
    this.#plan = planSelect(table, this.#request.select, this.#request.consistent, nowMs(this.#engine.clock));
    return this.#plan;
  }

  #take(
    { plan, page, consumed }: PageRead<SelectPagePlan>,
    at: Continuation,
    h16: Hash16,
  ): MaybePromise<Selected | DynamoError> {
    const select = this.#plan;
    if (select instanceof DynamoError || select.kind === 'get') throw new Error('a page without a plan');
    const { target } = plan;
    this.#bytes += page.bytes;
    this.#evaluated += page.count;
    this.#consumed.push(consumed);
    const { index } = target;
    this.#found.push({
      entries: plan.sink.values,
      filter: select.kind === 'scan' ? select.filter : select.reads[at.read]!.filter,
      seen:
        plan.fetches && index
          ? (item) => projectForIndex(target.table.schema, index.schema, item)
          : undefined,
    });
    const last = page.stopped ? page.last : undefined;
    if (last !== undefined) {
      const startKey = startKeyOf(target, decodeItem(last.value));
      return this.#selected({ read: at.read, startKey }, h16);
    }
    const following: Continuation = { read: at.read + 1, startKey: undefined };
    if (select.kind === 'scan' || following.read === select.reads.length)
      return this.#selected(undefined, h16);
    return this.#bytes >= requestLimits.pageBytesMax ? this.#selected(following, h16) : this.pages(following);
  }

  #selected(next: Continuation | undefined, h16: Hash16): Selected {
    return {
      found: this.#found,
      bytes: this.#bytes,
      consumed: sumConsumed(this.#consumed),
      next: next && {
        token: nextToken(next, this.#request.binding, this.#table, h16),
        lastKey: next.startKey && plainItem(next.startKey),
      },
    };
  }
}
