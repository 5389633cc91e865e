import type { Engine } from './engine/engine.ts';
import allOperations from './operations/all-operations.ts';
import type { Caller, NamedHandler } from './operations/operation.ts';
import type { Service } from './wire/dispatch.ts';

type EngineOf = (caller: Caller) => Engine;

/** The services of DynamoDB and DynamoDB Streams. `engineOf` returns the engine for a caller. */
export function dynamoDbServices(engineOf: EngineOf): readonly Service[] {
  return Object.entries(allOperations).map(([targetPrefix, operations]) =>
    serviceOf(targetPrefix, Object.values<NamedHandler>(operations), engineOf),
  );
}

function serviceOf(targetPrefix: string, operations: readonly NamedHandler[], engineOf: EngineOf): Service {
  return {
    targetPrefixes: [targetPrefix],
    signingName: 'dynamodb',
    contentType: 'application/x-amz-json-1.0',
    operations: new Map(
      operations.map((operation) => [
        operation.name,
        (input, caller) => operation.handle(engineOf(caller), input, caller),
      ]),
    ),
  };
}

/** The names of all operations, in no particular order. */
export const operationNames: readonly string[] = Object.values(allOperations).flatMap((operations) =>
  Object.values(operations).map(({ name }) => name),
);
