import { type DynamoError, serializationError } from '../../model/errors.ts';
import type { NumberShape, Shape } from './shape.ts';

/**
 * Texts of the SerializationException for a JSON value of the wrong type. They come from the Java deserialiser of the
 * service, which names its own classes and even leaks a class cast (observed: dynalite's tests, last revised about
 * 2020). Newer suites send only well-typed JSON and have nothing to add.
 */

/** Where a value stands. The deserialiser words a scalar in place of a container differently by place. */
export type Place = 'member' | 'element';

const javaPackage = 'com.amazonaws.dynamodb.v20120810';

const leakedCast =
  'class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class ' +
  '(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of ' +
  "loader 'bootstrap')";

function javaName(shape: Shape): string {
  switch (shape.kind) {
    case 'string':
      return 'java.lang.String';
    case 'number':
      return `java.lang.${shape.java}`;
    case 'boolean':
      return 'java.lang.Boolean';
    case 'blob':
      return 'java.nio.ByteBuffer';
    case 'timestamp':
      return 'java.util.Date';
    case 'attribute-value':
      return `${javaPackage}.AttributeValue`;
    case 'list':
      return `java.util.List<${javaName(shape.member)}>`;
    case 'map':
      return `java.util.Map<java.lang.String, ${javaName(shape.value)}>`;
    case 'structure':
      return `${javaPackage}.${shape.name}`;
  }
}

const structureNotExpected = 'Start of structure or map found where not expected';

function collectionNotExpected(className: string): DynamoError {
  return serializationError(`Unrecognized collection type ${className}`);
}

export function notAScalar(
  type: 'String' | 'Boolean' | 'Date' | NumberShape['java'],
  value: unknown,
): DynamoError {
  if (Array.isArray(value)) {
    return collectionNotExpected(type === 'Date' ? 'class java.util.Date' : `class java.lang.${type}`);
  }
  return serializationError(
    typeof value === 'object' ? structureNotExpected : `${token(value)} cannot be converted to ${type}`,
  );
}

/** A string that spells no boolean fails in the parser rather than in the conversion. */
export function notABoolean(value: unknown): DynamoError {
  return typeof value === 'string'
    ? serializationError('Unexpected token received from parser')
    : notAScalar('Boolean', value);
}

export function notABlob(value: unknown): DynamoError {
  if (Array.isArray(value)) return collectionNotExpected('class java.nio.ByteBuffer');
  if (typeof value === 'object') return serializationError(structureNotExpected);
  return serializationError('only base-64-encoded strings are convertible to bytes');
}

export function wrongBase64Length(length: number): DynamoError {
  return serializationError(`Base64 encoded length is expected a multiple of 4 bytes but found: ${length}`);
}

/** The typo is the service's. `=+/=` gets this text too, so it stands for any character out of place. */
export function wrongBase64(): DynamoError {
  return serializationError('Invalid last non-pad Base64 character dectected');
}

export function notAList(value: unknown, place: Place): DynamoError {
  if (typeof value === 'object') return serializationError(structureNotExpected);
  return serializationError(place === 'member' ? 'Unexpected field type' : leakedCast);
}

export function notAMap(shape: Shape, value: unknown, place: Place): DynamoError {
  if (Array.isArray(value)) return collectionNotExpected(javaName(shape));
  return serializationError(place === 'member' ? 'Unexpected field type' : leakedCast);
}

export function notAStructure(shape: Shape, value: unknown, place: Place): DynamoError {
  if (Array.isArray(value)) return collectionNotExpected(`class ${javaName(shape)}`);
  return serializationError(
    place === 'member' ? 'Unexpected field type' : 'Unexpected value type in payload',
  );
}

function token(value: unknown): string {
  switch (typeof value) {
    case 'number':
      return Number.isInteger(value) ? 'NUMBER_VALUE' : 'DECIMAL_VALUE';
    case 'boolean':
      return value ? 'TRUE_VALUE' : 'FALSE_VALUE';
    default:
      return 'STRING_VALUE';
  }
}
