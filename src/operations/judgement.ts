import { allDescribed } from '../engine/tables/parts/indexes.ts';
import type { Table } from '../engine/tables/table-record.ts';
import type { TableName } from '../engine/tables/table-requests.ts';
import { DynamoError } from '../model/errors.ts';
import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';

/**
 * The verdict on one request, and the tables that it is about: those that the authorizer looked up, and those of the
 * first plan. Between the verdict and the unit of the store a table can be deleted and created again, by this process
 * or another one. The request is then planned again, and judged again first.
 */
export class Judgement {
  readonly #ask: () => MaybePromise<DynamoError | undefined>;
  /** The tables by name; undefined for one that did not exist. */
  readonly #tables = new Map<string, Table | undefined>();
  /** The refusal of a later look, which holds for all parts of the request that have not run. */
  #refusal: DynamoError | undefined;

  constructor(ask: () => MaybePromise<DynamoError | undefined>) {
    this.#ask = ask;
  }

  judge(): MaybePromise<DynamoError | undefined> {
    return this.#ask();
  }

  /** Notes what the authorizer found under a name. */
  note(name: TableName, table: Table | undefined): void {
    this.#tables.set(idOf(name), table);
  }

  rejudge(tables: readonly (Table | DynamoError)[]): MaybePromise<DynamoError | undefined> {
    if (this.#refusal !== undefined) return this.#refusal;
    let isOther = false;
    for (const table of tables) {
      if (table instanceof DynamoError) continue;
      const id = idOf({ scope: table.scope, tableName: table.name });
      const judged = this.#tables.get(id);
      isOther ||= this.#tables.has(id) && (judged === undefined || !areAlike(judged, table));
      this.#tables.set(id, table);
    }
    if (!isOther) return undefined;
    return whenDone(this.#ask(), (refusal) => {
      this.#refusal = refusal;
      return refusal;
    });
  }
}

function idOf({ scope: { account, region }, tableName }: TableName): string {
  return `${account}/${region}/${tableName}`;
}

/** Whether two states of a table are the same to every policy: one table, with the same keys and tags. */
function areAlike(one: Table, other: Table): boolean {
  return one === other || visibleTo(one) === visibleTo(other);
}

function visibleTo({ record: { storageId, description, tags } }: Table): string {
  const { tableId, keySchema } = description;
  const indexes = allDescribed(description).map(({ index }) => [index.indexName, index.keySchema]);
  return JSON.stringify([storageId, tableId, keySchema, indexes, Object.entries(tags).sort()]);
}
