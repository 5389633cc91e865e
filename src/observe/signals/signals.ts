import type { Observer, RequestEvent } from '../../engine/events.ts';
import type { Touch } from '../../engine/road.ts';
import type { DynamoError } from '../../model/errors.ts';
import { isThrottle, reasonCodes } from '../request-metrics.ts';
import type { HandleScope } from '../series-handle.ts';
import { appendedAttributes, askedAttributes, rangeBounds } from './request-habits.ts';
import { RequestPairs } from './request-pairs.ts';
import { shownKeyOf } from './shown-key.ts';
import { type Noted, type ReportedSignal, type SignalKind, SignalStore } from './signal-store.ts';

/** Of the reads that succeed, one in eight is looked at more closely: the next is 1 to 15 reads away. */
const sampledWithin = 15;

/**
 * What callers do that no metric tells: refusals by cause and key, ranges that find nothing, lists that are appended to,
 * reads that are followed by a write, tables that are read one after the other. The doctor reads it.
 *
 * Refusals are rare and are all noted. Of requests that succeed, the common ones are sampled, so that they pay a few
 * comparisons.
 */
export class Signals implements Observer {
  readonly #store: SignalStore;
  readonly #pairs: RequestPairs;
  #untilSample = 1;
  #draw = 1;
  /** The key attributes of a table, hash key first; undefined if they are not at hand. */
  keyNamesOf: (scope: HandleScope, table: string) => readonly string[] | undefined = () => undefined;

  constructor(nowMs: () => number) {
    this.#store = new SignalStore(nowMs);
    this.#pairs = new RequestPairs(nowMs, (noted) => this.#store.add(noted));
  }

  report(scope: HandleScope, nowMs: number, minutes: number): ReportedSignal[] {
    return this.#store.report(scope, nowMs, minutes);
  }

  request(event: RequestEvent): void {
    const { outcome, touches } = event;
    if (outcome.kind === 'refused') {
      // An injected fault says nothing about the caller.
      if (!event.isInjected && !isThrottle(outcome.error)) this.#refused(event, outcome.error);
      return;
    }
    const touch = touches[0];
    if (touch === undefined || touch.table === undefined || outcome.kind !== 'answered') return;
    if (touch.access === 'write') {
      if (event.operation === 'UpdateItem') this.#updated(event, touch);
      this.#pairs.wrote(event, touch);
    } else if (touch.access === 'read') this.#read(event, touch);
  }

  #read(event: RequestEvent, touch: Touch): void {
    const isQuery = event.operation === 'Query';
    const { index } = touch;
    if (event.isStale && index?.traits.visibility === 'later')
      this.#note(event, touch, 'stale-index-read', { index: index.schema.name });
    if (isQuery && event.returnedItems === 0) this.#foundNothing(event, touch);
    const isSampled = --this.#untilSample === 0;
    if (isSampled) this.#drawNext();
    this.#pairs.read(event, touch, isSampled);
    if (isSampled && index?.traits.capacity === 'own')
      this.#note(event, touch, 'index-projection', {
        ...{ index: index.schema.name, detail: askedAttributes(event.input) ?? '*', key: [] },
      });
  }

  /** Distances vary, because every eighth read of a program that does two things in turns is always the same one. */
  #drawNext(): void {
    this.#draw = (Math.imul(this.#draw, 1_664_525) + 1_013_904_223) >>> 0;
    this.#untilSample = 1 + ((this.#draw >>> 16) % sampledWithin);
  }

  #foundNothing(event: RequestEvent, touch: Touch): void {
    const bounds = rangeBounds(event.input);
    if (bounds === undefined) return;
    this.#note(event, touch, 'empty-range', { index: touch.index?.schema.name, message: bounds });
  }

  #updated(event: RequestEvent, touch: Touch): void {
    for (const detail of appendedAttributes(event.input)) this.#note(event, touch, 'list-append', { detail });
  }

  #refused(event: RequestEvent, error: DynamoError): void {
    const { touches } = event;
    const codes = reasonCodes(error);
    if (codes.length > 0) {
      for (const [i, code] of codes.entries()) {
        const kind = reasonKinds[code];
        const touch = touches[i];
        if (kind !== undefined && touch !== undefined) this.#note(event, touch, kind, {});
        else if (kind !== undefined) this.#unplanned(event, kind, {});
      }
      return;
    }
    const { name, message = '' } = error;
    const kind = kindOf(error);
    const own = { message, ...(kind === 'refused' && { detail: name }) };
    if (touches[0] === undefined || touches[0].tableName === '') this.#unplanned(event, kind, own);
    else this.#note(event, touches[0], kind, own);
  }

  #note(event: RequestEvent, touch: Touch, kind: SignalKind, own: Partial<Noted>): void {
    const { accountId: account, region } = event.caller;
    this.#store.add({
      ...{ scope: { account, region }, table: touch.tableName, kind, operation: event.operation },
      key: own.key ?? shownKeyOf(touch),
      ...own,
    });
  }

  /** A request that was refused before it was planned names its table and key in its parameters. */
  #unplanned(event: RequestEvent, kind: SignalKind, own: Partial<Noted>): void {
    const { caller, input, operation } = event;
    const { TableName, Key, Item } = (input ?? {}) as Readonly<Record<string, unknown>>;
    const table = typeof TableName === 'string' ? TableName.slice(TableName.lastIndexOf('/') + 1, 300) : '';
    const scope = { account: caller.accountId, region: caller.region };
    const names = this.keyNamesOf(scope, table);
    // A key that lacks attributes is told as it was sent.
    const key =
      Key === undefined ? keyOf(Item, names) : (keyOf(Key, names) ?? keyOf(Key, Object.keys(Key ?? {})));
    this.#store.add({ scope, table, kind, operation, key: key ?? [], ...own });
  }
}

const reasonKinds: Readonly<Record<string, SignalKind>> = {
  ConditionalCheckFailed: 'condition-failed',
  TransactionConflict: 'transaction-conflict',
};

function kindOf({ name, message = '' }: DynamoError): SignalKind {
  if (name === 'ConditionalCheckFailedException') return 'condition-failed';
  if (name === 'TransactionConflictException') return 'transaction-conflict';
  if (name !== 'ValidationException') return 'refused';
  if (/Item size .*has exceeded the maximum allowed size/.test(message)) return 'item-size';
  if (/BETWEEN operator requires upper bound/.test(message)) return 'upside-down-range';
  if (/Type mismatch for (index )?key|Missing the key|does not match the schema/i.test(message))
    return 'wrong-key';
  return 'refused';
}

/** The values of some attributes as they were sent; undefined if one is missing or the names are not known. */
function keyOf(sent: unknown, names: readonly string[] | undefined): string[] | undefined {
  if (typeof sent !== 'object' || sent === null || names === undefined) return undefined;
  const attributes = sent as Readonly<Record<string, unknown>>;
  if (!names.every((name) => Object.hasOwn(attributes, name))) return undefined;
  return names.slice(0, 8).map((name) => {
    const value = attributes[name];
    const [text] = typeof value === 'object' && value !== null ? Object.values(value) : [];
    return typeof text === 'string' ? text.slice(0, 120) : '?';
  });
}
