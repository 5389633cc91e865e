import allOperations from '../operations/all-operations.ts';
import type { NamedHandler, Operation } from '../operations/operation.ts';
import type { CallOptions } from './plain-call.ts';

type AllOperations = typeof allOperations;

type MethodsOf<Operations> = {
  [Name in keyof Operations]: Operations[Name] extends Operation<infer Input, infer Output>
    ? Method<Input, Output>
    : never;
};

/** A method of the database. An input without required members may be left out. */
type Method<Input, Output> =
  Record<never, never> extends Input
    ? (input?: Input, options?: CallOptions) => Promise<Output>
    : (input: Input, options?: CallOptions) => Promise<Output>;

/**
 * Every operation as a method with the SDK's plain types: `db.putItem({ TableName, Item })`. A refused request
 * rejects with a `ServiceError`.
 */
export interface OperationMethods
  extends MethodsOf<AllOperations['DynamoDB_20120810']>,
    MethodsOf<AllOperations['DynamoDBStreams_20120810']> {}

/** Defines one method per operation on its prototype. The database that extends it implements `call`. */
abstract class MethodBase {
  protected abstract call<Output>(
    operation: NamedHandler,
    input: object,
    options?: CallOptions,
  ): Promise<Output>;

  static {
    for (const operations of Object.values(allOperations)) {
      for (const [name, operation] of Object.entries<Operation>(operations)) {
        Object.defineProperty(MethodBase.prototype, name, {
          value: methodOf(name, operation),
          writable: true,
          configurable: true,
        });
      }
    }

    function methodOf(name: string, operation: Operation) {
      const members = [...operation.input.shape.members.values()];
      const absent = members.some(({ required }) => required) ? undefined : {};
      // The computed name appears in stack traces.
      return {
        [name](this: MethodBase, input = absent, options?: CallOptions) {
          return this.call(operation, input as object, options);
        },
      }[name];
    }
  }
}

/** The base class that gives a database its methods. */
export const PlainMethods = MethodBase as unknown as abstract new () => MethodBase & OperationMethods;
