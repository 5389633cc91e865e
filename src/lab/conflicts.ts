import type { LabRequest } from './actions.ts';

interface Target {
  readonly TableName?: string;
  readonly Key?: object;
  readonly Item?: Readonly<Record<string, unknown>>;
}

/**
 * Transactions under way, in simulated time. The engine holds items for as long as a transaction takes on the machine's
 * own clock, which a simulation has no use for; the rules are the same: a single write and a transaction are refused where
 * they meet a transaction that has not ended.
 */
export class Conflicts {
  readonly #keyNames: ReadonlyMap<string, readonly string[]>;
  readonly #heldUntil = new Map<string, number>();

  /** The names of the key attributes, by table. */
  constructor(keyNames: ReadonlyMap<string, readonly string[]>) {
    this.#keyNames = keyNames;
  }

  /** The error that a request is refused with, if it meets a transaction under way. */
  met(request: LabRequest, nowMs: number): Error | undefined {
    const { operation } = request;
    if (operation !== 'TransactWriteItems' && !singleWrites.has(operation)) return undefined;
    const held = this.#keysOf(request).map((key) => (this.#heldUntil.get(key) ?? 0) > nowMs);
    if (!held.includes(true)) return undefined;
    if (operation !== 'TransactWriteItems')
      return named('TransactionConflictException', 'Transaction is ongoing for the item');
    const reasons = held.map((isHeld) => ({ Code: isHeld ? 'TransactionConflict' : 'None' }));
    const codes = reasons.map(({ Code }) => Code).join(', ');
    const text = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
    return Object.assign(named('TransactionCanceledException', text), { CancellationReasons: reasons });
  }

  /** A transaction holds its items until it has ended. */
  hold(request: LabRequest, untilMs: number): void {
    if (request.operation !== 'TransactWriteItems') return;
    if (this.#heldUntil.size > 10_000) this.#forget(untilMs - 1_000);
    for (const key of this.#keysOf(request)) this.#heldUntil.set(key, untilMs);
  }

  #forget(beforeMs: number): void {
    for (const [key, until] of this.#heldUntil) if (until < beforeMs) this.#heldUntil.delete(key);
  }

  #keysOf({ input }: LabRequest): string[] {
    const { TransactItems } = input as {
      readonly TransactItems?: readonly Readonly<Record<string, Target>>[];
    };
    if (TransactItems === undefined) return [this.#keyOf(input)];
    return TransactItems.flatMap((action) => Object.values(action).map((target) => this.#keyOf(target)));
  }

  #keyOf({ TableName = '', Key, Item }: Target): string {
    const names = this.#keyNames.get(TableName) ?? [];
    const values = (Key ?? Item ?? {}) as Readonly<Record<string, unknown>>;
    return `${TableName} ${JSON.stringify(names.map((name) => values[name]))}`;
  }
}

const singleWrites = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
