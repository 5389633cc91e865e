import type { RequestEvent } from '../../engine/events.ts';
import type { Touch } from '../../engine/road.ts';
import type { Table } from '../../engine/tables/table-record.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { shownKeyOf } from './shown-key.ts';
import type { Noted, SignalKind } from './signal-store.ts';

interface SampledRead {
  readonly table: Table;
  readonly caller: string;
  readonly atMs: number;
  readonly key: Uint8Array;
  /** The value of the partition key, as text. */
  readonly partition: string | undefined;
  /** The tables that were read by the same value since. */
  together: Set<string> | undefined;
}

/** How long a request can be the second of a pair. */
const pairMs = 2_000;
const kept = 16;

/** Single writes without a condition: what makes a read before them a race. */
const bareWrites: ReadonlySet<string> = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

/**
 * Pairs of requests of one caller: an item that is read and then written without a condition, and tables that are read
 * one after the other by the same partition key. A few sampled reads wait for their second request.
 */
export class RequestPairs {
  readonly #nowMs: () => number;
  readonly #note: (noted: Noted) => void;
  readonly #reads: (SampledRead | undefined)[] = new Array<undefined>(kept).fill(undefined);
  #next = 0;
  /** How many of the kept reads can still get a second request. */
  #waiting = 0;

  constructor(nowMs: () => number, note: (noted: Noted) => void) {
    this.#nowMs = nowMs;
    this.#note = note;
  }

  read(event: RequestEvent, touch: Touch, isSampled: boolean): void {
    if (this.#waiting > 0) this.#readBehind(event, touch);
    if (!isSampled || touch.key === undefined || touch.index !== undefined) return;
    const isGet = event.operation === 'GetItem';
    if (!isGet && event.operation !== 'Query') return;
    const partition = shownKeyOf(touch)[0];
    if (isGet) this.#tell(event, touch.tableName, 'sampled-get', undefined, []);
    this.#tell(event, touch.tableName, 'sampled-read', undefined, []);
    const at = this.#next;
    if (this.#reads[at] === undefined) this.#waiting++;
    this.#reads[at] = {
      table: touch.table!,
      caller: event.caller.accessKeyId,
      atMs: this.#nowMs(),
      // The key of a range is no item's.
      key: isGet ? touch.key.slice() : new Uint8Array(),
      partition,
      together: undefined,
    };
    this.#next = (at + 1) % kept;
  }

  wrote(event: RequestEvent, touch: Touch): void {
    if (this.#waiting === 0 || touch.key === undefined || !bareWrites.has(event.operation)) return;
    const now = this.#nowMs();
    for (let i = 0; i < kept; i++) {
      const read = this.#reads[i];
      if (read === undefined) continue;
      if (now - read.atMs > pairMs) {
        this.#forget(i);
        continue;
      }
      if (read.table !== touch.table || read.key.length === 0 || !isSameKey(read.key, touch.key)) continue;
      this.#forget(i);
      if (read.caller === event.caller.accessKeyId && !isConditional(event.input))
        this.#tell(event, touch.tableName, 'get-then-write', undefined, shownKeyOf(touch));
    }
  }

  #readBehind(event: RequestEvent, touch: Touch): void {
    if (touch.index !== undefined) return;
    const now = this.#nowMs();
    let partition: string | undefined;
    for (let i = 0; i < kept; i++) {
      const read = this.#reads[i];
      if (read === undefined || read.table === touch.table) continue;
      if (now - read.atMs > pairMs) {
        this.#forget(i);
        continue;
      }
      if (read.caller !== event.caller.accessKeyId || read.together?.has(touch.tableName) === true) continue;
      partition ??= shownKeyOf(touch)[0] ?? '';
      if (partition === '' || partition !== read.partition) continue;
      read.together ??= new Set();
      read.together.add(touch.tableName);
      this.#tell(event, read.table.name, 'read-together', touch.tableName, [partition]);
    }
  }

  #forget(at: number): void {
    this.#reads[at] = undefined;
    this.#waiting--;
  }

  #tell(
    { caller: { accountId: account, region }, operation }: RequestEvent,
    table: string,
    kind: SignalKind,
    detail: string | undefined,
    key: readonly string[],
  ): void {
    this.#note({ scope: { account, region }, table, kind, operation, detail, key });
  }
}

/** Keys of a table begin alike, and differ at their ends. */
function isSameKey(a: Uint8Array, b: Uint8Array): boolean {
  return a[a.length - 1] === b[b.length - 1] && equalBytes(a, b);
}

function isConditional(input: unknown): boolean {
  const { ConditionExpression, Expected } = (input ?? {}) as Record<string, unknown>;
  return ConditionExpression !== undefined || Expected !== undefined;
}
