import type { Engine } from './engine/engine.ts';
import { allOperations } from './operations/all-operations.ts';
import type { Caller, Operation } from './operations/operation.ts';
import { allStreamOperations } from './operations/streams/all-stream-operations.ts';
import type { Service } from './wire/dispatch.ts';

type EngineOf = (caller: Caller) => Engine;

/** DynamoDB and DynamoDB Streams among the APIs of a port. `engineOf` finds the database that a caller means. */
export function dynamoDbServices(engineOf: EngineOf): readonly Service[] {
  return [
    serviceOf('DynamoDB_20120810', allOperations, engineOf),
    serviceOf('DynamoDBStreams_20120810', allStreamOperations, engineOf),
  ];
}

function serviceOf(targetPrefix: string, operations: readonly Operation[], engineOf: EngineOf): Service {
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
