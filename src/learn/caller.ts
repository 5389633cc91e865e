import type { Stator } from '../index.ts';
import { nearest } from '../model/nearest.ts';
import { nextTurn } from '../runtime/machine/machine.ts';
import type { Ledger } from './ledger.ts';
import { Lesson } from './lesson.ts';
import { isRequest, kindOf } from './value-kind.ts';

const itemOperations = [
  'getItem',
  'putItem',
  'updateItem',
  'deleteItem',
  'query',
  'scan',
  'batchGetItem',
  'batchWriteItem',
  'transactGetItems',
  'transactWriteItems',
] as const;

export type ItemOperation = (typeof itemOperations)[number];

/** The operations on items as the learner's code calls them: `db.query({ … })`. */
export type Caller = Readonly<Record<ItemOperation, (request: object) => Promise<object>>>;

/** Ends the learner's function with a lesson. */
export type Halt = (lesson: Lesson) => Promise<never>;

/** Every request is counted with its units; a program that never ends asking is stopped. */
export function callerOf(
  db: Stator,
  ledger: Ledger,
  { requestsMax, halt }: { readonly requestsMax: number; readonly halt: Halt },
): Caller {
  const methods = db as unknown as Caller;
  let asked = 0;
  return operations(async (operation, request) => {
    if (++asked > requestsMax)
      return halt(
        new Lesson({
          saw: `Your code made ${requestsMax.toLocaleString('en-US')} requests and was not done.`,
          rule: 'A loop over pages or retries needs an end: pass LastEvaluatedKey on as ExclusiveStartKey, and pause between retries.',
          topic: 'api',
        }),
      );
    ledger.pending++;
    try {
      // No answer comes within the turn of its request, as over a network.
      await nextTurn();
      const answer = await methods[operation]({ ...request, ReturnConsumedCapacity: 'INDEXES' });
      ledger.add(operation, request, answer);
      return answer;
    } catch (error) {
      ledger.refuse(operation, request, error instanceof Error ? error.name : 'Error');
      throw error;
    } finally {
      ledger.pending--;
    }
  });
}

/** A caller whose every request goes through `send`. A word that is no operation gets an answer that helps. */
export function operations(
  send: (operation: ItemOperation, request: Readonly<Record<string, unknown>>) => Promise<object>,
): Caller {
  const own: Partial<Record<ItemOperation, (request: object) => Promise<object>>> = {};
  for (const operation of itemOperations)
    own[operation] = (request) => {
      if (!isRequest(request))
        return Promise.reject(
          new Lesson({
            saw: `db.${operation} was called with ${kindOf(request)}.`,
            rule: `Every operation takes one object, such as db.${operation}({ TableName: 'app', … }).`,
            topic: 'api',
          }),
        );
      return send(operation, request as Readonly<Record<string, unknown>>);
    };
  return new Proxy(own as Caller, {
    get(target, name) {
      if (typeof name === 'symbol' || name in target || name === 'then') return Reflect.get(target, name);
      const meant = nearest(name, [...itemOperations]);
      throw new Lesson({
        saw: `Your code used db.${name}, which does not exist here.${meant === undefined ? '' : ` Did you mean db.${meant}?`}`,
        rule: `db has the operations on items: ${itemOperations.join(', ')}. Each takes the request that the SDK's command of that name takes.`,
        topic: 'api',
      });
    },
  });
}
