import type { Charge, Observer, RequestEvent } from '../../engine/events.ts';
import type { Table } from '../../engine/tables/table-record.ts';
import { ownCopy } from '../../model/json/json-reader.ts';
import { leastUsedOfLargest } from '../fair-drop.ts';
import type { Dimension } from '../metric-key.ts';
import type { MetricStore } from '../metric-store.ts';
import { reasonCodes } from '../request-metrics.ts';
import type { SeriesOptions } from '../series.ts';
import { type HandleScope, SeriesHandle } from '../series-handle.ts';
import { PatternNames, type PatternSource } from './pattern-name.ts';
import {
  conditionOf,
  itemOperations,
  type PatternShape,
  shapedByTable,
  shapeKey,
  shapeName,
  shapeOf,
  tableOf,
} from './pattern-shape.ts';

/** The namespace of the metrics of access patterns. */
export const patternNamespace = 'Stator/Patterns';

/** How many patterns are kept; of more, the account with the most loses those that it used the longest time ago. */
export const patternsMax = 500;
/** How many errors and conditions are told apart in one pattern; further ones count as `other`. */
const detailsMax = 20;

/** The series of one access pattern. */
export interface Pattern extends PatternShape {
  readonly name: string;
  readonly source: PatternSource;
  readonly scope: HandleScope;
  readonly latency: SeriesHandle;
  readonly retries: SeriesHandle;
  readonly readUnits: SeriesHandle;
  readonly writeUnits: SeriesHandle;
  readonly itemBytes: SeriesHandle;
  readonly results: SeriesHandle;
  readonly replays: SeriesHandle;
  readonly staleReads: SeriesHandle;
  readonly errors: Map<string, SeriesHandle>;
  readonly conditions: Map<string, SeriesHandle>;
  /** The number of the latest request that it had. */
  lastUse: number;
}

const histogram: SeriesOptions = { hasHistogram: true };

/**
 * What each access pattern costs and how it fails. A pattern has the name that the caller gave it; requests without a name
 * are grouped by their shape. All numbers are series of metrics, so that they have minutes, are summed over processes and
 * are bounded like all others.
 */
export class Patterns implements Observer {
  readonly #store: MetricStore;
  readonly #nowMs: () => number;
  readonly #names = new PatternNames();
  readonly #byKey = new Map<string, Pattern>();
  /** Unnamed operations on single items, whose shape is their table: most requests need no text to be found by. */
  #byTable = new WeakMap<Table, Map<string, Pattern>>();
  readonly #byName = new Map<string, Pattern>();
  /** The number of patterns that were dropped because there were too many. */
  dropped = 0;
  #uses = 0;

  constructor(store: MetricStore, nowMs: () => number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  all(): readonly Pattern[] {
    return [...this.#byName.values()];
  }

  request(event: RequestEvent): void {
    const { touches, charges, outcome, caller } = event;
    const touch = touches[0];
    // Administering tables is no access pattern. A request that was refused before it was planned touches nothing.
    if (touch === undefined ? !itemOperations.has(event.operation) : touch.access === 'control') return;
    const minute = Math.floor(this.#nowMs() / 60_000);
    const pattern = this.of(event);
    pattern.lastUse = ++this.#uses;
    pattern.latency.add(Math.round(event.durationMs * 1_000) / 1_000, minute);
    if (charges.length > 0) addUnits(pattern, charges, minute);
    for (let i = 0; i < touches.length; i++) {
      const { putBytes } = touches[i]!;
      if (putBytes !== undefined) pattern.itemBytes.add(putBytes, minute);
    }
    if (touch?.access === 'read' && outcome.kind === 'answered') {
      const { returnedItems, readItems, readBytes } = event;
      pattern.results.add(returnedItems, minute);
      if (readItems > 0) pattern.itemBytes.add(Math.round(readBytes / readItems), minute);
    }
    if (event.isReplay) pattern.replays.add(1, minute);
    if (event.isStale) pattern.staleReads.add(1, minute);
    const attempt = caller.header('amz-sdk-request');
    if (attempt !== undefined && !attempt.startsWith('attempt=1;') && /attempt=(?!1\b)\d/.test(attempt))
      pattern.retries.add(1, minute);
    if (outcome.kind !== 'answered') this.#failed(pattern, event, minute);
  }

  /** The pattern of a request, made if it is new. */
  of(event: RequestEvent): Pattern {
    const { touches, operation, caller } = event;
    const table = tableOf(event);
    const named = this.#names.of(event);
    const ofTable = touches.length === 1 ? touches[0]!.table : undefined;
    const isPlain = named === undefined && ofTable !== undefined && shapedByTable.has(operation);
    if (isPlain) {
      const plain = this.#byTable.get(ofTable)?.get(operation);
      if (plain !== undefined && isOf(plain, caller)) return plain;
    }
    const scopeKey = `${caller.accountId}/${caller.region}\n`;
    const key =
      named === undefined
        ? `${scopeKey}${shapeKey(event, table)}`
        : `${scopeKey}\n${named.source}\n${named.name}\n${operation}\n${table}`;
    const pattern = this.#byKey.get(key) ?? this.#make(event, table, key, named);
    if (isPlain) {
      const plain = this.#byTable.get(ofTable) ?? new Map<string, Pattern>();
      this.#byTable.set(ofTable, plain.set(operation, pattern));
    }
    return pattern;
  }

  #make(
    event: RequestEvent,
    table: string,
    key: string,
    named: { readonly name: string; readonly source: PatternSource } | undefined,
  ): Pattern {
    const shape = shapeOf(event, table);
    const name = named?.name ?? shapeName(shape);
    const { accountId: account, region } = event.caller;
    const id = JSON.stringify([account, region, name, shape.operation, table]);
    let pattern = this.#byName.get(id);
    if (pattern === undefined) {
      if (this.#byName.size >= patternsMax) this.#dropLeastUsed();
      pattern = this.#newPattern({ account, region }, name, named?.source ?? 'shape', shape);
      this.#byName.set(id, pattern);
    }
    // Many texts can mean the same shape, for example statements with literals.
    if (this.#byKey.size >= keysMax) this.#byKey.clear();
    this.#byKey.set(ownCopy(key), pattern);
    return pattern;
  }

  #newPattern(scope: HandleScope, given: string, source: PatternSource, sent: PatternShape): Pattern {
    // Texts of a request keep its whole body alive.
    const name = ownCopy(given);
    const shape: PatternShape = JSON.parse(JSON.stringify(sent));
    const dimensions = dimensionsOf(name, shape);
    const handle = (metric: string, unit: string, options?: SeriesOptions) =>
      new SeriesHandle(this.#store, scope, patternNamespace, metric, dimensions, unit, options);
    return {
      ...shape,
      index: shape.index,
      keyCondition: shape.keyCondition,
      filter: shape.filter,
      statement: shape.statement,
      name,
      source,
      scope,
      latency: handle('Latency', 'Milliseconds', histogram),
      retries: handle('Retries', 'Count'),
      readUnits: handle('ReadUnits', 'Count'),
      writeUnits: handle('WriteUnits', 'Count'),
      itemBytes: handle('ItemBytes', 'Bytes', histogram),
      results: handle('Results', 'Count', histogram),
      replays: handle('Replays', 'Count'),
      staleReads: handle('StaleReads', 'Count'),
      errors: new Map(),
      conditions: new Map(),
      lastUse: 0,
    };
  }

  #failed(pattern: Pattern, event: RequestEvent, minute: number): void {
    const { outcome } = event;
    const error = outcome.kind === 'refused' ? outcome.error : undefined;
    this.#detail(pattern, pattern.errors, 'Errors', 'Error', error?.name ?? 'InternalServerError').add(
      1,
      minute,
    );
    if (error?.name === 'ConditionalCheckFailedException') this.#condition(pattern, event, 0, minute);
    for (const [i, code] of error === undefined ? [] : reasonCodes(error).entries())
      if (code === 'ConditionalCheckFailed') this.#condition(pattern, event, i, minute);
  }

  #condition(pattern: Pattern, event: RequestEvent, action: number, minute: number): void {
    const condition = conditionOf(event, action);
    this.#detail(pattern, pattern.conditions, 'ConditionFailures', 'Condition', condition).add(1, minute);
  }

  #detail(
    pattern: Pattern,
    details: Map<string, SeriesHandle>,
    metric: string,
    dimension: string,
    value: string,
  ): SeriesHandle {
    const known = details.get(value);
    if (known !== undefined) return known;
    const counted = details.size < detailsMax ? ownCopy(value) : 'other';
    let handle = details.get(counted);
    if (handle === undefined) {
      const dimensions = [...dimensionsOf(pattern.name, pattern), { name: dimension, value: counted }];
      handle = new SeriesHandle(this.#store, pattern.scope, patternNamespace, metric, dimensions, 'Count');
      details.set(counted, handle);
    }
    return handle;
  }

  #dropLeastUsed(): void {
    const dropped = leastUsedOfLargest(
      this.#byName,
      Math.ceil(patternsMax / 16),
      ([, { scope }]) => scope.account,
      ([, { lastUse }]) => lastUse,
    );
    for (const [id] of dropped) {
      this.#byName.delete(id);
      this.dropped++;
    }
    this.#byKey.clear();
    this.#byTable = new WeakMap();
  }
}

/** One value for a request, so that the average is what a request takes; a batch has a charge for every item. */
function addUnits(pattern: Pattern, charges: readonly Charge[], minute: number): void {
  let read = 0;
  let write = 0;
  let reads = 0;
  for (let i = 0; i < charges.length; i++) {
    const { access, consumed } = charges[i]!;
    let units = consumed.table;
    for (let k = 0; k < consumed.indexes.length; k++) units += consumed.indexes[k]!.units;
    if (access === 'read') {
      read += units;
      reads++;
    } else write += units;
  }
  if (reads > 0) pattern.readUnits.add(read, minute);
  if (reads < charges.length) pattern.writeUnits.add(write, minute);
}

function isOf({ scope }: Pattern, { accountId, region }: RequestEvent['caller']): boolean {
  return scope.account === accountId && scope.region === region;
}

const keysMax = 4 * patternsMax;

function dimensionsOf(name: string, { operation, table }: PatternShape): readonly Dimension[] {
  return [
    { name: 'Pattern', value: name },
    { name: 'Operation', value: operation },
    ...(table === '' ? [] : [{ name: 'TableName', value: table }]),
  ];
}
