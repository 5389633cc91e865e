import { type DynamoError, validationError } from '../model/errors.ts';

/**
 * Legacy parameters and expressions do not go together in one request. The text lists the parameters that are there,
 * in an order that each operation has of its own (observed: ExtendDB's tests, 2026).
 */

/** The operations that take both, each with its parameters in the order of the text. */
const mixedParameters = {
  GetItem: { legacy: ['AttributesToGet'], expressions: ['ProjectionExpression'] },
  PutItem: { legacy: ['Expected', 'ConditionalOperator'], expressions: ['ConditionExpression'] },
  DeleteItem: { legacy: ['Expected', 'ConditionalOperator'], expressions: ['ConditionExpression'] },
  UpdateItem: {
    legacy: ['AttributeUpdates', 'Expected', 'ConditionalOperator'],
    expressions: ['UpdateExpression', 'ConditionExpression'],
  },
  Query: {
    legacy: ['AttributesToGet', 'QueryFilter', 'ConditionalOperator', 'KeyConditions'],
    expressions: ['ProjectionExpression', 'FilterExpression', 'KeyConditionExpression'],
  },
  Scan: {
    legacy: ['AttributesToGet', 'ScanFilter', 'ConditionalOperator'],
    expressions: ['ProjectionExpression', 'FilterExpression'],
  },
} as const;

/** BatchGetItem has GetItem's parameters for each table, and mixes them when any two tables do. */
export type MixedOperation = keyof typeof mixedParameters;

/** Whether one request, or the parts of one, mix both. */
export function checkMixing(
  operation: MixedOperation,
  ...inputs: readonly object[]
): DynamoError | undefined {
  const { legacy, expressions } = mixedParameters[operation];
  if (!isAnySent(legacy, inputs)) return undefined;
  const isSent = (parameter: string) => isAnySent([parameter], inputs);
  const sentExpressions = expressions.filter(isSent);
  const sentLegacy = legacy.filter(isSent).filter((parameter) => {
    // KeyConditions goes with a filter and a projection, though not with its own successor.
    return parameter !== 'KeyConditions' || isSent('KeyConditionExpression');
  });
  if (sentExpressions.length === 0 || sentLegacy.length === 0) return undefined;
  return validationError(
    `Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {${sentLegacy.join(', ')}} Expression parameters: {${sentExpressions.join(', ')}}`,
  );
}

function isAnySent(parameters: readonly string[], inputs: readonly object[]): boolean {
  for (const input of inputs as readonly Readonly<Record<string, unknown>>[])
    for (const parameter of parameters) if (input[parameter] !== undefined) return true;
  return false;
}
