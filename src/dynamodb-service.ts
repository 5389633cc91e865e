import type { Engine } from './engine/engine.ts';
import { allOperations } from './operations/all-operations.ts';
import type { Caller } from './operations/operation.ts';
import type { Service } from './wire/dispatch.ts';

/** DynamoDB among the APIs of a port. `engineOf` finds the database that a caller means. */
export function dynamoDbService(engineOf: (caller: Caller) => Engine): Service {
  return {
    targetPrefixes: ['DynamoDB_20120810'],
    signingName: 'dynamodb',
    contentType: 'application/x-amz-json-1.0',
    operations: new Map(
      allOperations.map((operation) => [
        operation.name,
        (input, caller) => operation.handle(engineOf(caller), input, caller),
      ]),
    ),
  };
}
