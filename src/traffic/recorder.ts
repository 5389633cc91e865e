import type { Observer, RequestEvent } from '../engine/events.ts';
import { ValueHasher } from './hash-values.ts';
import { type RequestLine, writeHeader, writeLine } from './traffic-file.ts';

export interface RecorderOptions {
  readonly nowMs: () => number;
  readonly write: (text: string) => void;
  /** The secret under which values are hashed; absent, they are written as they are. */
  readonly secret?: Uint8Array;
  /** Only requests to these tables. */
  readonly tables?: readonly string[];
  /** The most lines; the recorder is full then. */
  readonly linesMax?: number;
  readonly note?: string;
}

/** Operations of the data plane, which a runner can send again. */
const recorded = new Set([
  ...['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan', 'BatchGetItem', 'BatchWriteItem'],
  ...[
    'TransactGetItems',
    'TransactWriteItems',
    'ExecuteStatement',
    'BatchExecuteStatement',
    'ExecuteTransaction',
  ],
]);

/** Writes the requests of a database as a traffic file. It is one of the database's observers. */
export class Recorder implements Observer {
  readonly #options: RecorderOptions;
  readonly #hasher: ValueHasher | undefined;
  readonly #startMs: number;
  #lastAt = 0;
  lines = 0;
  isFull = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#hasher = options.secret === undefined ? undefined : new ValueHasher(options.secret);
    this.#startMs = options.nowMs();
    options.write(
      writeHeader({
        kind: 'requests',
        startedAt: new Date(this.#startMs).toISOString(),
        values: this.#hasher === undefined ? 'plain' : 'hashed',
        ...(options.note === undefined ? {} : { note: options.note }),
      }),
    );
  }

  request(event: RequestEvent): void {
    const { tables, linesMax = 1_000_000, nowMs, write } = this.#options;
    if (this.isFull || event.isObserver === true || !recorded.has(event.operation)) return;
    if (typeof event.input !== 'object' || event.input === null) return;
    if (tables !== undefined && !event.touches.some(({ tableName }) => tables.includes(tableName))) return;
    // The request came when it began; events come when they end. Lines stay in order.
    const at = Math.max(
      this.#lastAt,
      Math.round((nowMs() - event.durationMs - this.#startMs) * 1000) / 1000,
      0,
    );
    this.#lastAt = at;
    write(writeLine(this.#line(event, at)));
    this.lines++;
    if (this.lines >= linesMax) this.isFull = true;
  }

  #line(event: RequestEvent, at: number): RequestLine {
    const { operation, input, outcome, charges, pattern, returnedItems, durationMs, caller } = event;
    const sent = input as Record<string, unknown>;
    let [readUnits, writeUnits] = [0, 0];
    for (const { access, consumed } of charges) {
      const units = consumed.indexes.reduce((sum, index) => sum + index.units, consumed.table);
      if (access === 'read') readUnits += units;
      else writeUnits += units;
    }
    const error =
      outcome.kind === 'answered'
        ? undefined
        : outcome.kind === 'refused'
          ? outcome.error.name
          : 'InternalServerError';
    return {
      at,
      op: operation,
      input: this.#hasher === undefined ? plain(sent) : this.#hasher.input(plain(sent)),
      region: caller.region,
      ...(pattern === undefined ? {} : { pattern }),
      ...(error === undefined ? {} : { error }),
      ...(readUnits === 0 ? {} : { readUnits }),
      ...(writeUnits === 0 ? {} : { writeUnits }),
      ...(returnedItems === 0 ? {} : { items: returnedItems }),
      ms: Math.round(durationMs * 1000) / 1000,
    };
  }
}

/** The input as JSON has it: what a request was read from may hold maps. */
function plain(value: unknown): Record<string, unknown> {
  return jsonOf(value) as Record<string, unknown>;
}

function jsonOf(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, one]) => [name, jsonOf(one)]));
  if (Array.isArray(value)) return value.map(jsonOf);
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, jsonOf(one)]));
}
