import type { EndpointCaller } from '../../kit/endpoint-caller.ts';
import { pauseAfter } from '../../kit/retry-policy.ts';
import { ServiceError } from '../../kit/service-error.ts';
import { toolPolicies } from '../../kit/tool-policies.ts';
import { Failure } from '../failure.ts';
import { type Patience, patientCall } from '../patient-call.ts';
import { repeatDeps } from '../repeat-deps.ts';

export type WireItem = Readonly<Record<string, unknown>>;

/** A row that is to be written: an item to put, or the key of one to delete. */
export interface RowWrite {
  readonly line?: number;
  readonly put?: WireItem;
  readonly delete?: WireItem;
}

export interface RefusedWrite {
  readonly row: RowWrite;
  readonly error: string;
}

interface BatchAnswer {
  readonly UnprocessedItems?: Readonly<Record<string, readonly WriteRequest[]>>;
}

type WriteRequest = { readonly PutRequest?: { Item: WireItem }; readonly DeleteRequest?: { Key: WireItem } };

const batchMax = 25;

/** Writes rows into a table by BatchWriteItem, several requests at a time. */
export class BatchWriter {
  readonly #caller: EndpointCaller;
  readonly #tableName: string;
  readonly #keyNames: readonly string[];
  readonly #parallel: number;
  readonly #patience: Patience;

  constructor(
    caller: EndpointCaller,
    table: { readonly name: string; readonly keyNames: readonly string[] },
    parallel: number,
    patience: Patience,
  ) {
    this.#caller = caller;
    this.#tableName = table.name;
    this.#keyNames = table.keyNames;
    this.#parallel = parallel;
    this.#patience = patience;
  }

  /**
   * Writes rows and answers those that the table refused. Of several rows with one key the last one stays that the table
   * takes.
   */
  async write(rows: readonly RowWrite[]): Promise<RefusedWrite[]> {
    const byKey = new Map<string, RowWrite[]>();
    for (const row of rows) {
      const key = this.#keyText(row);
      const others = byKey.get(key);
      if (others === undefined) byKey.set(key, [row]);
      else others.push(row);
    }
    const refused: RefusedWrite[] = [];
    for (let latest = [...byKey.values()].map((all) => all.pop()!); latest.length > 0; ) {
      const found = await this.#writeDistinct(latest);
      refused.push(...found);
      latest = found.flatMap(({ row }) => byKey.get(this.#keyText(row))!.pop() ?? []);
    }
    return refused;
  }

  async #writeDistinct(rows: readonly RowWrite[]): Promise<RefusedWrite[]> {
    const batches: RowWrite[][] = [];
    for (let from = 0; from < rows.length; from += batchMax) batches.push(rows.slice(from, from + batchMax));
    const refused: RefusedWrite[] = [];
    const writers = Array.from({ length: Math.min(this.#parallel, batches.length) }, async () => {
      for (let batch = batches.pop(); batch !== undefined; batch = batches.pop())
        refused.push(...(await this.#batch(batch)));
    });
    const ends = await Promise.allSettled(writers);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return refused;
  }

  /** Writes a batch. One bad row fails all of them, so that halves are tried until the bad rows are alone. */
  async #batch(rows: readonly RowWrite[]): Promise<RefusedWrite[]> {
    try {
      await this.#send(rows.map(requestOf));
      return [];
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'content') throw error;
      if (rows.length === 1) return [{ row: rows[0]!, error: error.message }];
    }
    const half = rows.length >> 1;
    return [...(await this.#batch(rows.slice(0, half))), ...(await this.#batch(rows.slice(half)))];
  }

  async #send(requests: readonly WriteRequest[]): Promise<void> {
    const { signal, deps = repeatDeps(signal) } = this.#patience;
    let left: readonly WriteRequest[] = requests;
    for (let round = 1; ; round++) {
      const { UnprocessedItems } = await patientCall<BatchAnswer>(
        this.#caller,
        'BatchWriteItem',
        { RequestItems: { [this.#tableName]: left } },
        this.#patience,
      );
      left = UnprocessedItems?.[this.#tableName] ?? [];
      if (left.length === 0) return;
      const ms = pauseAfter(toolPolicies.unprocessedRows, 'throttled', round, deps.random);
      if (ms === undefined)
        throw new Failure(
          `Table ${this.#tableName} does not keep up: ${left.length} items were throttled ${round} times in a row.`,
          'Give the table more write capacity, or add --parallel 1; the same command goes on.',
        );
      await deps.pause(ms);
    }
  }

  #keyText({ put, delete: key }: RowWrite): string {
    const item = put ?? key!;
    return JSON.stringify(this.#keyNames.map((name) => item[name]));
  }
}

function requestOf({ put, delete: Key }: RowWrite): WriteRequest {
  return put === undefined ? { DeleteRequest: { Key: Key! } } : { PutRequest: { Item: put } };
}
