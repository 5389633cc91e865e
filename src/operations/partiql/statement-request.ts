import type { Engine } from '../../engine/engine.ts';
import { resolveStatement, type Statement } from '../../expressions/partiql/resolve-statement.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { requestLimits } from '../../model/limits.ts';
import type { AttributeValue } from '../../model/values/attribute-value.ts';
import { readAttributeValue } from '../../model/values/read-attribute-value.ts';
import { wellFormed } from '../../model/values/utf8.ts';
import { attributeValue, list, required, type StructureShape, string } from '../shapes/shape.ts';
import type { InputValue } from '../shapes/shape-types.ts';

/** A statement as all three operations take it. */
export const statementMembers = {
  Statement: required(string({ min: 1, max: requestLimits.statementLengthMax })),
  Parameters: list(attributeValue, { min: 1 }),
};
export interface StatementInput extends InputValue<StructureShape<typeof statementMembers>> {}

/** The parameters are judged before anyone looks at the statement (observed: public captures, September 2026). */
export function readParameters({ Parameters }: StatementInput): readonly AttributeValue[] | DynamoError {
  const values: AttributeValue[] = [];
  for (const sent of Parameters ?? []) {
    const value = readAttributeValue(sent, 'older');
    if (value instanceof DynamoError) return value;
    values.push(value);
  }
  return values;
}

export function readStatement(engine: Engine, input: StatementInput): Statement | DynamoError {
  const parameters = readParameters(input);
  if (parameters instanceof DynamoError) return parameters;
  const parsed = engine.parsedExpressions.statement(wellFormed(input.Statement));
  return parsed instanceof DynamoError ? parsed : resolveStatement(parsed, parameters);
}

export function existsElsewhere(): DynamoError {
  return validationError('EXISTS can only be used in ExecuteTransaction write requests.');
}
