import { type DynamoError, invalidParameter, validationError } from '../model/errors.ts';
import { allIndexes, keyAttributes, type TableSchema } from '../model/tables/table-schema.ts';
import type { QueriedKey } from './key-condition.ts';
import { attributesNamed, visitPaths } from './named-attributes.ts';
import type { Condition, DocumentPath, Update } from './tree.ts';

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
  const entered = new Set(paths.filter((path) => path.length > 1).map((path) => path[0]));
  if (entered.size === 0) return undefined;
  const key = keyAttributes(schema).find(({ name }) => entered.has(name));
  if (key !== undefined) return mustBeScalar('Key', key.name);
  const indexKeys = allIndexes(schema).flatMap(({ hash, range }) => [...hash, ...range]);
  const indexKey = indexKeys.find(({ name }) => entered.has(name));
  return indexKey && mustBeScalar('IndexKey', indexKey.name);
}

function mustBeScalar(which: 'Key' | 'IndexKey', name: string): DynamoError {
  return validationError(
    `Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ${which}: ${name}`,
  );
}

/** The attributes of the primary key cannot be targets of an update, nor can parts of index keys. */
export function checkUpdateTargets(update: Update, schema: TableSchema): DynamoError | undefined {
  const paths = update.actions.map(({ path }) => path);
  const key = keyAttributes(schema).find(({ name }) => paths.some((path) => path[0] === name));
  if (key !== undefined) {
    return invalidParameter(`Cannot update attribute ${key.name}. This attribute is part of the key`);
  }
  return checkScalarKeys(paths, schema);
}
