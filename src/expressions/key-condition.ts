import { type DynamoError, invalidParameter, validationError } from '../model/errors.ts';
import type { RangeCondition } from '../model/keys/key-bounds.ts';
import type { KeyAttribute } from '../model/tables/table-schema.ts';
import {
  type AttributeValue,
  isKeyValue,
  type KeyValue,
  keyText,
  typeOf,
} from '../model/values/attribute-value.ts';
import type { KeyClause } from './key-clauses.ts';

/** The key of the table or index that is queried. */
export interface QueriedKey {
  readonly hash: readonly KeyAttribute[];
  readonly range: readonly KeyAttribute[];
}

/** What a query looks for: one partition, and in it a stretch of its order. */
export interface KeyCondition {
  /** The values of all HASH attributes. */
  readonly hash: readonly KeyValue[];
  /** The values of the first RANGE attributes. */
  readonly equal: readonly KeyValue[];
  /** The condition on the RANGE attribute after those, the last that the query names; it may be `=` too. */
  readonly range: RangeCondition | undefined;
}

/** The clauses of a key condition, or of KeyConditions, against the key of what is queried. None of it is enveloped. */
export function keyCondition(clauses: readonly KeyClause[], key: QueriedKey): KeyCondition | DynamoError {
  const wrong =
    checkCount(clauses, key) ??
    checkMultiAttributeKey(clauses, key) ??
    checkHash(clauses, key) ??
    checkRange(clauses, key);
  if (wrong !== undefined) return wrong;
  const hash: KeyValue[] = [];
  for (const { name } of key.hash) hash.push(clauseOn(name, clauses)!.values[0] as KeyValue);
  const equal: KeyValue[] = [];
  let last: KeyClause | undefined;
  for (const { name } of key.range) {
    const clause = clauseOn(name, clauses);
    if (clause === undefined) continue;
    if (last !== undefined) equal.push(last.values[0] as KeyValue);
    last = clause;
  }
  return { hash, equal, range: last && rangeCondition(last) };
}

/** The last, if there are several, as KeyConditions may have under names that are no text. They are few. */
function clauseOn(attribute: string, clauses: readonly KeyClause[]): KeyClause | undefined {
  for (let i = clauses.length - 1; i >= 0; i--) if (clauses[i]!.name === attribute) return clauses[i];
  return undefined;
}

/**
 * A key without RANGE attributes answered a second clause in words of its own before keys could have several
 * attributes, and is taken to do so still (guess).
 */
function checkCount(clauses: readonly KeyClause[], key: QueriedKey): DynamoError | undefined {
  const attributes = key.hash.length + key.range.length;
  if (clauses.length <= attributes) return undefined;
  if (attributes === 1 && clauses.length === 2) return notSupported();
  return validationError(
    `The number of query conditions (${clauses.length}) exceeds the number of key attributes defined in the schema (${attributes})`,
  );
}

/**
 * A key with several HASH or RANGE attributes: which conditions must be equalities is checked before the types of the
 * values. HASH attributes without any condition come before those with another one (observed: conformance suite,
 * October 2026, the text for one RANGE attribute; inferred: DynamoDB Local 3.3, the order and the text for HASH).
 */
function checkMultiAttributeKey(
  clauses: readonly KeyClause[],
  { hash, range }: QueriedKey,
): DynamoError | undefined {
  if (hash.length === 1 && range.length <= 1) return undefined;
  const missing = hash.filter(({ name }) => clauseOn(name, clauses) === undefined);
  if (missing.length > 0) return hashEqualityNeeded(missing);
  const unequal = hash.filter(({ name }) => clauseOn(name, clauses)!.operator !== '=');
  return unequal.length > 0 ? hashEqualityNeeded(unequal) : checkGaps(clauses, range);
}

function hashEqualityNeeded(attributes: readonly KeyAttribute[]): DynamoError {
  const names = attributes.map(({ name }) => name).join(', ');
  return validationError(`HASH key attributes ${names} must have equality conditions specified in the query`);
}

/** RANGE attributes are named from the first on and without a gap, and all but the last by their values. */
function checkGaps(clauses: readonly KeyClause[], range: readonly KeyAttribute[]): DynamoError | undefined {
  const open: string[] = [];
  for (const attribute of range) {
    const clause = clauseOn(attribute.name, clauses);
    if (clause !== undefined && open.length > 0) return equalityNeeded(open, attribute);
    if (clause?.operator !== '=') open.push(attribute.name);
  }
  return undefined;
}

function checkHash(clauses: readonly KeyClause[], key: QueriedKey): DynamoError | undefined {
  for (const attribute of key.hash) {
    const clause = clauseOn(attribute.name, clauses);
    if (clause === undefined) return missed(attribute);
    const wrong = checkClause(clause, attribute);
    if (wrong !== undefined) return wrong;
    if (clause.operator !== '=') return notSupported();
  }
  return undefined;
}

function checkRange(clauses: readonly KeyClause[], key: QueriedKey): DynamoError | undefined {
  let named = 0;
  for (const attribute of key.range) {
    const clause = clauseOn(attribute.name, clauses);
    if (clause === undefined) continue;
    named++;
    const wrong = checkClause(clause, attribute);
    if (wrong !== undefined) return wrong;
  }
  // A clause that is left over names no key attribute; the service then misses the one that it might have meant.
  if (key.hash.length + named >= clauses.length) return undefined;
  const unnamed = key.range.find(({ name }) => clauseOn(name, clauses) === undefined);
  return unnamed && missed(unnamed);
}

function equalityNeeded(open: readonly string[], { name }: KeyAttribute): DynamoError {
  return validationError(
    `RANGE key attributes ${open.join(', ')} must have equality conditions specified in the query because a condition is present on key attribute ${name}`,
  );
}

function checkClause(clause: KeyClause, { name, type }: KeyAttribute): DynamoError | undefined {
  if (clause.operator === 'not indexable') {
    return validationError('Attempted conditional constraint is not an indexable operation');
  }
  for (const value of clause.values)
    if (typeOf(value) !== type)
      return invalidParameter('Condition parameter type does not match schema type');
  const empty = clause.values.find(isEmpty);
  if (empty === undefined) return undefined;
  return validationError(
    `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${'S' in empty ? 'string' : 'binary'} value. Key: ${name}`,
  );
}

function isEmpty(value: AttributeValue): boolean {
  return isKeyValue(value) && keyText(value) === '';
}

function rangeCondition(clause: KeyClause): RangeCondition {
  // Types were checked against the key's, so that these are values of keys.
  const [low, high] = clause.values as readonly KeyValue[];
  if (clause.operator === 'BETWEEN') return { operator: 'BETWEEN', low: low!, high: high! };
  if (clause.operator === 'not indexable') throw new Error('a key clause that was not checked');
  return { operator: clause.operator, value: low! };
}

function missed({ name }: KeyAttribute): DynamoError {
  return validationError(`Query condition missed key schema element: ${name}`);
}

function notSupported(): DynamoError {
  return validationError('Query key condition not supported');
}
