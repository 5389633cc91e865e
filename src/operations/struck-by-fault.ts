import { canBeReason, transactionCancelled } from '../engine/cancellation.ts';
import type { Engine } from '../engine/engine.ts';
import { type FaultTarget, faultErrors } from '../engine/faults.ts';
import { DynamoError } from '../model/errors.ts';
import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';
import type { Answer, Caller } from './operation.ts';
import { tableReference } from './table-reference.ts';

/**
 * Runs a request unless a fault was asked for that means it. A request that names many items fails as a whole, like one
 * none of whose items could be processed; only a transaction tells which action it was.
 */
export function unlessStruck<Input extends object>(
  engine: Engine,
  operation: string,
  input: Input,
  caller: Caller,
  run: () => MaybePromise<Answer>,
): MaybePromise<Answer> {
  const struck = engine.faults.strike(operation, targetsOf(input as Anything, caller));
  if (struck === undefined) return run();
  const { fault, position } = struck;
  const error = faultErrors[fault.error]();
  const { TransactItems, TransactStatements } = input as Anything;
  const actions = TransactItems ?? TransactStatements;
  const answer =
    Array.isArray(actions) && canBeReason(error)
      ? transactionCancelled(actions.map((_, i) => (i === position ? error : undefined)))
      : error;
  // A request that fails by itself has an answer of its own, which nothing can be lost of.
  if (fault.afterwards !== true) return answer;
  return whenDone(run(), (done) => (done instanceof DynamoError ? done : answer));
}

type Anything = Readonly<Record<string, unknown>>;

/** What a request touches, by the names that all inputs give these things; those of a transaction in its order. */
function targetsOf(input: Anything, caller: Caller): readonly FaultTarget[] {
  const { TableName, TransactItems, RequestItems } = input;
  if (Array.isArray(TransactItems))
    return TransactItems.map((sent: Anything) => {
      const [action] = Object.values(sent) as Anything[];
      return action === undefined
        ? { table: '' }
        : targetOf(action.TableName, action.Item ?? action.Key, caller);
    });
  if (isObject(RequestItems))
    return Object.entries(RequestItems).flatMap(([table, sent]) =>
      itemsOf(sent).map((item) => targetOf(table, item, caller)),
    );
  return TableName === undefined ? [] : [targetOf(TableName, input.Item ?? input.Key, caller)];
}

/** The keys of a batch that reads and the items and keys of one that writes. */
function itemsOf(sent: unknown): unknown[] {
  if (!Array.isArray(sent)) return isObject(sent) && Array.isArray(sent.Keys) ? sent.Keys : [];
  return sent.map(
    ({ PutRequest, DeleteRequest }: Record<string, Anything | undefined>) =>
      PutRequest?.Item ?? DeleteRequest?.Key,
  );
}

function targetOf(table: unknown, attributes: unknown, caller: Caller): FaultTarget {
  const reference = tableReference(String(table), caller);
  return {
    table: reference instanceof DynamoError ? String(table) : reference.tableName,
    ...(isObject(attributes) && { attributes }),
  };
}

function isObject(value: unknown): value is Anything {
  return typeof value === 'object' && value !== null;
}
