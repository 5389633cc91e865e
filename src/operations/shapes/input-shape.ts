import { DynamoError, serializationError, validationError } from '../../model/errors.ts';
import { isCutOff } from './attribute-value-shape.ts';
import { constraintMessage } from './constraint-message.ts';
import { constraintsOf, type Failure, inputPath } from './constraints.ts';
import { type Validation, type ValidationLayer, validationOf } from './operation-layers.ts';
import { typeReader } from './read-types.ts';
import { type Members, type StructureShape, structure } from './shape.ts';
import type { InputValue } from './shape-types.ts';

/** The input of an operation: its shape, and the check that turns a parsed body into an input or an error. */
export interface InputShape<Input, Name extends string = string> {
  readonly operation: Name;
  readonly shape: StructureShape;
  /** The layer whose words answer for the operation. */
  readonly layer: ValidationLayer;
  /**
   * Steps 8 and 9 of a request. The input shares with the body whatever did not have to change, and the body itself
   * is never changed. Members of maps are the client's own words (`__proto__`, `constructor`): look them up with
   * `Object.hasOwn`.
   */
  check(body: unknown): Input | DynamoError;
}

/** The TypeScript type of an operation's input. */
export type InputOf<Of> = Of extends InputShape<infer Input> ? Input : never;

/** Unless `validation` says otherwise, the older layer answers, as it does for most operations. */
export function inputShape<Name extends string, Given extends Members>(
  operation: Name,
  members: Given,
  validation?: Partial<Validation>,
): InputShape<InputValue<StructureShape<Given>>, Name> {
  const shape = structure(`${operation}Input`, members);
  const full = validationOf(validation);
  let compiled: ((body: unknown) => unknown) | undefined;
  return {
    operation,
    shape,
    layer: full.layer,
    check(body) {
      // Compiled at first use: a process that only reads items never pays for the shape of CreateTable.
      compiled ??= compile(shape, full);
      return compiled(body) as InputValue<StructureShape<Given>> | DynamoError;
    },
  };
}

function compile(shape: StructureShape, { layer, enums }: Validation): (body: unknown) => unknown {
  const read = typeReader(shape);
  const constrain = constraintsOf(shape);
  const ownTexts = [...shape.members].filter(([, member]) => member.ifAbsent ?? member.ifEmpty);

  return (body) => {
    // The service says nothing more about a body that is JSON but no object.
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return serializationError();
    const input = read(body);
    if (input instanceof DynamoError) return input;
    const members = input as Readonly<Record<string, unknown>>;
    for (const [name, { ifAbsent, ifEmpty }] of ownTexts) {
      const value = members[name];
      if (value === undefined && ifAbsent !== undefined) return validationError(ifAbsent);
      if (ifEmpty !== undefined && isEmpty(value)) return validationError(ifEmpty);
    }
    if (constrain === undefined) return input;
    const failures: Failure[] = [];
    constrain(input, inputPath, failures);
    if (failures.length === 0) return input;
    const answering = layer === 'newer' && isCutOff(input) ? 'older' : layer;
    return validationError(constraintMessage(answering, enums, failures));
  };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
