import { type DynamoError, invalidParameter, limitExceeded, validationError } from '../../../model/errors.ts';
import { tableLimits } from '../../../model/limits.ts';
import type {
  AttributeDefinition,
  KeySchemaElement,
  Projection,
} from '../../../model/tables/table-description.ts';

/**
 * The rules that key schemas and projections obey, whether they come with the table or are added to it. The texts
 * (observed: ACK, October 2026), and the order in which they win over each other (observed: dynalite's tests).
 */

/** For the error that names all keys of a schema and all definitions of the request, in their order there. */
export function undefinedKeys(
  keySchema: readonly KeySchemaElement[],
  definitions: readonly AttributeDefinition[],
): DynamoError | undefined {
  const keys = keySchema.map((element) => element.AttributeName);
  const defined = definitions.map((definition) => definition.AttributeName);
  if (keys.every((key) => defined.includes(key))) return undefined;
  return invalidParameter(
    'Some index key attributes are not defined in AttributeDefinitions. ' +
      `Keys: [${keys.join(', ')}], AttributeDefinitions: [${defined.join(', ')}]`,
  );
}

/** The key of a table or local index: HASH, then perhaps RANGE, of different names. */
export function pairKeyError(keySchema: readonly KeySchemaElement[]): DynamoError | undefined {
  const [first, second] = keySchema;
  if (second !== undefined && first?.AttributeName === second.AttributeName) {
    return validationError('Both the Hash Key and the Range Key element in the KeySchema have the same name');
  }
  if (first?.KeyType !== 'HASH') return notAHashKey();
  if (second !== undefined && second.KeyType !== 'RANGE') {
    return validationError('Invalid KeySchema: The second KeySchemaElement is not a RANGE key type');
  }
  return undefined;
}

const globalKeyMax = {
  HASH: tableLimits.globalIndexHashAttributesMax,
  RANGE: tableLimits.globalIndexRangeAttributesMax,
};

/**
 * The key of a global index: one to four HASH, then up to four RANGE attributes. A first element that is no HASH wins
 * over other defects, with the text it has always had (guess).
 */
export function globalIndexKeyError(keySchema: readonly KeySchemaElement[]): DynamoError | undefined {
  const names = new Set(keySchema.map((element) => element.AttributeName));
  if (names.size < keySchema.length) {
    return validationError('The KeySchema contains multiple key attributes with the same name');
  }
  if (keySchema[0]?.KeyType !== 'HASH') return notAHashKey();
  for (const keyType of ['HASH', 'RANGE'] as const) {
    if (keySchema.filter((element) => element.KeyType === keyType).length > globalKeyMax[keyType]) {
      return invalidParameter(
        `The KeySchema exceeds the maximum allowed number of ${keyType} key attributes`,
      );
    }
  }
  const firstRange = keySchema.findIndex((element) => element.KeyType === 'RANGE');
  if (firstRange >= 0 && keySchema.slice(firstRange).some((element) => element.KeyType === 'HASH')) {
    return invalidParameter('All HASH key attributes must precede RANGE key attributes in the KeySchema');
  }
  return undefined;
}

export function projectionError(projection: Partial<Projection>): DynamoError | undefined {
  const { ProjectionType: type, NonKeyAttributes: names } = projection;
  if (type === undefined) return invalidParameter('Unknown ProjectionType: null');
  if (type !== 'INCLUDE' && names !== undefined) {
    return invalidParameter(`ProjectionType is ${type}, but NonKeyAttributes is specified`);
  }
  if (type === 'INCLUDE' && names === undefined) {
    return invalidParameter('ProjectionType is INCLUDE, but NonKeyAttributes is not specified');
  }
  const repeated = names?.find((name, i) => names.indexOf(name) < i);
  if (repeated !== undefined) {
    return invalidParameter(`Duplicate element in NonKeyAttributes: ${repeated}`);
  }
  return undefined;
}

/**
 * All indexes of a table together may name 100 projected attributes, one named twice counting twice. The limit
 * (documented: Developer Guide, Constraints) has a text of our own (guess).
 */
export function projectedNamesError(projections: readonly Partial<Projection>[]): DynamoError | undefined {
  const count = projections.reduce((sum, { NonKeyAttributes = [] }) => sum + NonKeyAttributes.length, 0);
  const max = tableLimits.nonKeyAttributesPerTableMax;
  if (count <= max) return undefined;
  return invalidParameter(
    `Number of NonKeyAttributes across all secondary indexes exceeds the per-table limit of ${max}`,
  );
}

function notAHashKey(): DynamoError {
  return validationError('Invalid KeySchema: The first KeySchemaElement is not a HASH key type');
}

export function oneIndexAtATime(): DynamoError {
  return limitExceeded(
    'Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table',
  );
}
