import { type DynamoError, invalidParameter, validationError } from '../model/errors.ts';
import { indexKeyMismatch } from '../model/keys/key-checks.ts';
import {
  allIndexes,
  indexesInErrorOrder,
  keyAttributes,
  type TableSchema,
} from '../model/tables/table-schema.ts';
import { type AttributeType, typeOf } from '../model/values/attribute-value.ts';
import type { QueriedKey } from './key-condition.ts';
import { attributesNamed, visitPaths, visitUpdateValue } from './named-attributes.ts';
import type { Condition, DocumentPath, Update, UpdateAction, UpdateValue } from './tree.ts';

/** Where expressions name key attributes that they must not name so. None of these texts is enveloped. */

/** Every path of a condition, in the order of the text. */
export function pathsOf(condition: Condition): readonly DocumentPath[] {
  const paths: DocumentPath[] = [];
  visitPaths(condition, (path) => paths.push(path));
  return paths;
}

/** A query's filter cannot name the keys that the query is made of; those of the table it can when an index is. */
export function checkFilterKeys(
  filter: Condition,
  key: QueriedKey,
  parameter: 'Filter Expression' | 'QueryFilter',
): DynamoError | undefined {
  const names = attributesNamed(filter);
  const found = [...key.hash, ...key.range].find(({ name }) => names.has(name));
  if (found === undefined) return undefined;
  return validationError(
    `${parameter} can only contain non-primary key attributes: Primary key attribute: ${found.name}`,
  );
}

/** Keys of the table and of its indexes hold scalars, so that no path leads into them. */
export function checkScalarKeys(
  paths: readonly DocumentPath[],
  schema: TableSchema,
): DynamoError | undefined {
  if (!paths.some(isNested)) return undefined;
  const entered = new Set(paths.filter(isNested).map(([name]) => name));
  const key = keyAttributes(schema).find(({ name }) => entered.has(name));
  if (key !== undefined) return mustBeScalar('Key', key.name);
  const indexKeys = allIndexes(schema).flatMap(({ hash, range }) => [...hash, ...range]);
  const indexKey = indexKeys.find(({ name }) => entered.has(name));
  return indexKey && mustBeScalar('IndexKey', indexKey.name);
}

function isNested(path: DocumentPath): boolean {
  return path.length > 1;
}

function mustBeScalar(which: 'Key' | 'IndexKey', name: string): DynamoError {
  return validationError(
    `Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ${which}: ${name}`,
  );
}

/**
 * Checks the paths of a condition and an update against the keys of a table. An update changes no attribute of the
 * primary key, stores no constant of a wrong type in an index key, and enters no key, neither as its target nor to read
 * (observed: dynalite's tests, in this order). The condition comes first (inferred: DynamoDB Local).
 */
export function checkWritePaths(
  schema: TableSchema,
  condition: Condition | undefined,
  update?: Update | undefined,
): DynamoError | undefined {
  return (
    (condition && checkScalarKeys(pathsOf(condition), schema)) ??
    (update && (checkTargets(update, schema) ?? checkConstantTypes(update, schema))) ??
    (update && checkScalarKeys(pathsOfUpdate(update), schema))
  );
}

function checkTargets({ actions }: Update, schema: TableSchema): DynamoError | undefined {
  const key = keyAttributes(schema).find(({ name }) => actions.some(({ path }) => path[0] === name));
  return key && invalidParameter(`Cannot update attribute ${key.name}. This attribute is part of the key`);
}

/**
 * Checks the types that an update gives to index keys whatever the item holds: `SET x = :v`, `SET x = y + :n`. The
 * service makes this check before it reads the item and answers PutItem's mismatch (observed: Alternator's tests;
 * observed: dynalite's tests). A value that comes from the item is an unsupported type instead, which `updatedItem`
 * finds.
 */
function checkConstantTypes({ actions }: Update, schema: TableSchema): DynamoError | undefined {
  for (const index of indexesInErrorOrder(schema)) {
    for (const attribute of [...index.hash, ...index.range]) {
      const action = actions.find(({ path }) => path.length === 1 && path[0] === attribute.name);
      const type = action && constantType(action);
      if (type !== undefined && type !== attribute.type) return indexKeyMismatch(index, attribute, type);
    }
  }
  return undefined;
}

/** A DELETE may leave an attribute as it was, so its value says nothing about the result. */
function constantType(action: UpdateAction): AttributeType | undefined {
  if (action.kind === 'add') return typeOf(action.value);
  return action.kind === 'set' ? constantTypeOf(action.value) : undefined;
}

function constantTypeOf(value: UpdateValue): AttributeType | undefined {
  switch (value.kind) {
    case 'path':
      return undefined;
    case 'value':
      return typeOf(value.value);
    case 'arithmetic':
      return 'N';
    case 'list_append':
      return 'L';
    case 'if_not_exists':
      return constantTypeOf(value.otherwise);
  }
}

function pathsOfUpdate({ actions }: Update): readonly DocumentPath[] {
  const paths: DocumentPath[] = [];
  for (const action of actions) {
    paths.push(action.path);
    if (action.kind === 'set') visitUpdateValue(action.value, (path) => paths.push(path));
  }
  return paths;
}
