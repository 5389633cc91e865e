import { fingerprint } from '../design/compile/cursor.ts';
import { textOfValues } from '../design/compile/values.ts';
import { type Done, type Invariant, type ItemJson, type Request, type Round, run } from '../design/index.ts';
import { classOfReason, errorClasses } from '../kit/error-class.ts';
import { toolPolicies } from '../kit/tool-policies.ts';
import { CommandMismatchError, InvariantError } from './errors.ts';
import type { Sender } from './sender.ts';
import type { WriteResult } from './types.ts';

interface Reason {
  readonly Code?: string;
  readonly Item?: ItemJson;
}

interface Refusal {
  readonly name?: string;
  readonly Item?: ItemJson;
  readonly CancellationReasons?: readonly Reason[];
}

/** A command by its identity, with the values that it was called with. */
export interface Command {
  readonly id: string;
  readonly given: object;
}

const policy = toolPolicies.clientWrite;

/** A write was refused; thrown inside a call only. */
class Refused {
  readonly invariants: readonly Invariant[];
  /** The record of a command that was run before. */
  readonly record: ItemJson | undefined;
  readonly cause: unknown;

  constructor(invariants: readonly Invariant[], record: ItemJson | undefined, cause: unknown) {
    this.invariants = invariants;
    this.record = record;
    this.cause = cause;
  }
}

/** Sends a write. Repeats it where only a race stood in its way, and answers a repeated command from its record. */
export async function runWrite<Result>(
  sender: Sender,
  pattern: string,
  command: Command | undefined,
  begin: (options: { readonly readFirst: boolean }) => Round<unknown> | Done<unknown>,
): Promise<WriteResult<Result>> {
  let readFirst = false;
  for (let attempt = 1; ; attempt++) {
    let writes = 0;
    try {
      await run(begin({ readFirst }), (request) => {
        if (request.operation !== 'GetItem' && request.isUpgrade !== true) writes++;
        return sendWrite(sender, pattern, request);
      });
      return { replayed: false };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.record !== undefined) return replayed(pattern, command!, error.record);
      // Beside a race, others may have failed because of what was read before it.
      const isRace = error.invariants.some(({ kind }) => kind === 'unchanged');
      // The other invariants of an item of an older shape are judged when it has today's.
      const isOlder = !readFirst && error.invariants.some(({ kind }) => kind === 'shape');
      // A write of several requests may have done a part already.
      const mayGoOn = (isRace || isOlder) && writes <= 1 && attempt < policy.attemptsMax;
      if (!mayGoOn) throw new InvariantError(pattern, error.invariants, error.cause);
      if (isOlder) readFirst = true;
      else await sender.pause(policy, 'conflict', attempt);
    }
  }
}

async function sendWrite(sender: Sender, pattern: string, request: Request): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sender.send(pattern, request);
    } catch (error) {
      const refusal = error as Refusal;
      // The SDK repeats throttles, but not a single write that met a transaction.
      if (
        refusal.name === 'TransactionConflictException' &&
        (await sender.pause(policy, 'conflict', attempt))
      )
        continue;
      const reasons =
        refusal.name === 'ConditionalCheckFailedException'
          ? [
              {
                Code: 'ConditionalCheckFailed',
                ...(refusal.Item === undefined ? {} : { Item: refusal.Item }),
              },
            ]
          : refusal.name === 'TransactionCanceledException'
            ? (refusal.CancellationReasons ?? [])
            : undefined;
      if (reasons === undefined) throw error;
      // Beside what passes, conditions may have failed because of the very call that is being repeated.
      const passing = reasons
        .map(({ Code }) => classOfReason(Code))
        .find((kind) => kind !== undefined && errorClasses[kind].repeatable);
      if (passing !== undefined && (await sender.pause(policy, passing, attempt))) continue;
      throw refusedBy(reasons, request, error);
    }
  }
}

function refusedBy(reasons: readonly Reason[], { whyRefused = [] }: Request, cause: unknown): unknown {
  const invariants: Invariant[] = [];
  let record: ItemJson | undefined;
  reasons.forEach(({ Code, Item }, at) => {
    if (Code !== 'ConditionalCheckFailed') return;
    const why = whyRefused[at]?.(Item) ?? [];
    if (why.some(({ kind }) => kind === 'command')) record = Item;
    invariants.push(...why);
  });
  return invariants.length === 0 ? cause : new Refused(invariants, record, cause);
}

function replayed<Result>(pattern: string, { id, given }: Command, record: ItemJson): WriteResult<Result> {
  const { given: before, result, pattern: of } = record;
  const isOther = of === undefined || !('S' in of) || of.S !== pattern;
  const differs =
    before !== undefined && 'N' in before && before.N !== String(fingerprint(textOfValues(given)));
  if (isOther || differs) throw new CommandMismatchError(pattern, id);
  if (result === undefined || !('S' in result)) return { replayed: true };
  return { replayed: true, result: JSON.parse(result.S) as Result };
}
