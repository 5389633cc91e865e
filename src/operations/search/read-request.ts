import type { Engine } from '../../engine/engine.ts';
import type { KeyClause } from '../../expressions/key-clauses.ts';
import {
  checkConditionalOperator,
  filterCondition,
  keyConditionClauses,
} from '../../expressions/legacy-conditions.ts';
import { attributesToGet } from '../../expressions/legacy-projection.ts';
import { checkMixing } from '../../expressions/mixing.ts';
import { checkSubstitutionsHaveExpressions, readExpressions } from '../../expressions/request-expressions.ts';
import type { Condition, Projection } from '../../expressions/tree.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { isNestingError, readItem } from '../../model/values/read-attribute-value.ts';
import { isCutOff } from '../shapes/attribute-value-shape.ts';
import type { InputShape } from '../shapes/input-shape.ts';
import { inEnvelope, type ValidationLayer } from '../shapes/operation-layers.ts';
import type { LegacyConditions, ReadInput } from '../shapes/read-shapes.ts';

/** The parts of a Query or Scan that can be read without the table. */
export interface SearchRequest {
  readonly startKey: Item | undefined;
  readonly filter: Condition | undefined;
  readonly projection: Projection | undefined;
  /** The clauses of the key condition. A Scan has none. */
  readonly keyClauses: readonly KeyClause[] | undefined;
}

interface SearchInput extends ReadInput {
  readonly KeyConditions?: LegacyConditions;
  readonly KeyConditionExpression?: string;
  readonly QueryFilter?: LegacyConditions;
  readonly ScanFilter?: LegacyConditions;
}

/**
 * Checks a Query or Scan before its table is known, in the service's order: parameters that exclude each other, names
 * and values without expressions, the start key, the legacy parameters, `checkBetween`, and then the expressions. The
 * rules about Select belong to the parameters that exclude each other (guess).
 */
export function readSearchRequest(
  engine: Engine,
  { operation, layer }: Pick<InputShape<unknown, 'Query' | 'Scan'>, 'operation' | 'layer'>,
  input: SearchInput,
  checkBetween: () => DynamoError | undefined = () => undefined,
): SearchRequest | DynamoError {
  const request = readIn(layer, engine, operation, input, checkBetween);
  // A request that is nested so deep is always refused, so only an error needs a second look.
  return request instanceof DynamoError && isCutOff(input)
    ? readIn('older', engine, operation, input, checkBetween)
    : request;
}

function readIn(
  layer: ValidationLayer,
  engine: Engine,
  operation: 'Query' | 'Scan',
  input: SearchInput,
  checkBetween: () => DynamoError | undefined,
): SearchRequest | DynamoError {
  const legacyFilter = operation === 'Query' ? input.QueryFilter : input.ScanFilter;
  const readFilter = () => filterCondition(legacyFilter, input.ConditionalOperator, layer);
  const wrong =
    checkMixing(operation, input) ??
    operatorError(checkConditionalOperator(input.ConditionalOperator, legacyFilter), layer, readFilter) ??
    checkSelect(layer, input) ??
    checkSubstitutionsHaveExpressions(input, expressionsOf[operation], layer);
  if (wrong !== undefined) return wrong;
  const startKey = input.ExclusiveStartKey && readItem(input.ExclusiveStartKey, layer);
  if (startKey instanceof DynamoError) return startKeyValueError(startKey);
  const legacyProjection = input.AttributesToGet && attributesToGet(input.AttributesToGet);
  if (legacyProjection instanceof DynamoError) return legacyProjection;
  const legacyCondition = readFilter();
  if (legacyCondition instanceof DynamoError) return legacyCondition;
  const legacyClauses = input.KeyConditions && keyConditionClauses(input.KeyConditions, layer);
  if (legacyClauses instanceof DynamoError) return legacyClauses;
  const between = checkBetween();
  if (between !== undefined) return between;
  const read = readExpressions(input, layer, engine.parsedExpressions);
  if (read instanceof DynamoError) return read;
  return {
    startKey,
    filter: legacyCondition ?? read.filter,
    projection: legacyProjection ?? read.projection,
    keyClauses: legacyClauses ?? read.keyClauses,
  };
}

/**
 * Decides between two errors. The older layer reports a filter value that is nested too deep before a
 * ConditionalOperator that has nothing to combine (observed: public captures, Scan in seven of ten Regions, October
 * 2026). The Regions of the newer layer report them the other way round.
 */
function operatorError(
  wrong: DynamoError | undefined,
  layer: ValidationLayer,
  readFilter: () => Condition | DynamoError | undefined,
): DynamoError | undefined {
  const filter = wrong !== undefined && layer === 'older' ? readFilter() : undefined;
  return filter instanceof DynamoError && isNestingError(filter) ? filter : wrong;
}

const expressionsOf = {
  Query: ['FilterExpression', 'KeyConditionExpression', 'ProjectionExpression'],
  Scan: ['FilterExpression', 'ProjectionExpression'],
} as const;

/**
 * Checks Select against the other parameters. Query's newer layer wraps these texts in its envelope, at least for a
 * projection beside COUNT and ALL_ATTRIBUTES; Scan says them bare (observed: ExtendDB's tests, 2026). A projection that
 * does not fit is reported before a missing IndexName, and the word "Querying" appears for a Scan too (observed:
 * conformance suite, 2026).
 */
function checkSelect(layer: ValidationLayer, input: ReadInput): DynamoError | undefined {
  const text = selectProblem(input);
  if (text === undefined) return undefined;
  return validationError(layer === 'newer' ? inEnvelope(text) : text);
}

function selectProblem({
  Select,
  IndexName,
  ProjectionExpression,
  AttributesToGet,
}: ReadInput): string | undefined {
  if (Select === undefined) return undefined;
  const projection =
    ProjectionExpression !== undefined
      ? 'ProjectionExpression'
      : AttributesToGet !== undefined
        ? 'AttributesToGet'
        : undefined;
  if (Select === 'SPECIFIC_ATTRIBUTES') {
    return projection === undefined
      ? 'Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES'
      : undefined;
  }
  if (projection !== undefined) {
    const chosen = Select === 'COUNT' ? 'only the Count' : Select;
    return `Cannot specify the ${projection} when choosing to get ${chosen}`;
  }
  return Select === 'ALL_PROJECTED_ATTRIBUTES' && IndexName === undefined
    ? 'ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName'
    : undefined;
}

/**
 * The error of an invalid value in the start key. It has a prefix, unless the fault is a number or a duplicate in a set
 * (observed: dynalite's tests; observed: dynoxide's captures).
 */
function startKeyValueError(error: DynamoError): DynamoError {
  const text = error.message ?? '';
  const isPrefixed =
    text.startsWith('Supplied AttributeValue') ||
    text.includes('Null attribute value types') ||
    text.includes('An string set') ||
    text.includes('Binary sets should not be empty');
  return isPrefixed ? validationError(`The provided starting key is invalid: ${text}`) : error;
}
