import type { Engine } from './engine/engine.ts';
import allOperations from './operations/all-operations.ts';
import { dynamoErrors } from './operations/api/dynamo-errors.ts';
import type { Service } from './operations/api/service.ts';
import type { Caller, NamedHandler } from './operations/operation.ts';

type EngineOf = (caller: Caller) => Engine;

/** The services of DynamoDB and DynamoDB Streams. `engineOf` returns the engine for a caller. */
export function dynamoDbServices(engineOf: EngineOf): readonly Service[] {
  return Object.entries(allOperations).map(([targetPrefix, operations]) =>
    serviceOf(targetPrefix, Object.values<NamedHandler>(operations), engineOf),
  );
}

function serviceOf(targetPrefix: string, operations: readonly NamedHandler[], engineOf: EngineOf): Service {
  return {
    targetPrefix,
    signingName: 'dynamodb',
    apiVersion: '2012-08-10',
    protocols: ['dynamodb'],
    errors: dynamoErrors,
    operations: new Map(
      operations.map((operation) => [
        operation.name,
        {
          name: operation.name,
          handle: (input, caller) => operation.handle(engineOf(caller), input, caller),
        },
      ]),
    ),
  };
}

/** The names of all operations, in no particular order. */
export const operationNames: readonly string[] = Object.values(allOperations).flatMap((operations) =>
  Object.values(operations).map(({ name }) => name),
);
