import { DynamoError, validationError } from '../model/errors.ts';
import { expressionLimits } from '../model/limits.ts';
import type { ValidationLayer } from '../model/validation-layer.ts';
import type { AttributeValue } from '../model/values/attribute-value.ts';
import { utf8Length, wellFormed } from '../model/values/utf8.ts';
import { type KeyClause, keyClauses } from './key-clauses.ts';
import type { ParsedExpressions } from './parsed-cache.ts';
import { readNames, readValues } from './read-substitutions.ts';
import { resolveCondition } from './resolve-condition.ts';
import { resolveProjection } from './resolve-projection.ts';
import { resolveUpdate } from './resolve-update.ts';
import { Substitutions } from './substitutions.ts';
import { type Condition, ExpressionProblem, type Projection, type Update } from './tree.ts';

/** The parameters of a request that are expressions. */
export type ExpressionParameter =
  | 'UpdateExpression'
  | 'ConditionExpression'
  | 'KeyConditionExpression'
  | 'FilterExpression'
  | 'ProjectionExpression';

/** What a request may carry of expressions, after the check of its shape. The maps' keys are the client's own. */
export type ExpressionInput = { readonly [parameter in ExpressionParameter]?: string | undefined } & {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>> | undefined;
};

/** The expressions of a request, ready for items. */
export interface RequestExpressions {
  readonly update: Update | undefined;
  readonly condition: Condition | undefined;
  readonly keyClauses: readonly KeyClause[] | undefined;
  readonly filter: Condition | undefined;
  readonly projection: Projection | undefined;
  /** Those that the expressions use. */
  readonly values: ReadonlyMap<string, AttributeValue>;
}

/**
 * Names and values need expressions that could use them; a projection has no values. An operation makes this check
 * early, before it reads keys and items, and hands in the parameters it has, those with values in the order of the
 * service's text. In a transaction the service does not make it (observed: ExtendDB's tests, pull request 169, June
 * 2026).
 */
export function checkSubstitutionsHaveExpressions(
  input: ExpressionInput,
  parameters: readonly ExpressionParameter[],
  layer: ValidationLayer,
): DynamoError | undefined {
  let isProjected = false;
  for (const parameter of parameters) {
    if (input[parameter] === undefined) continue;
    if (parameter !== 'ProjectionExpression') return undefined;
    isProjected = true;
  }
  if (input.ExpressionAttributeNames !== undefined && !isProjected) {
    return validationError('ExpressionAttributeNames can only be specified when using expressions');
  }
  if (input.ExpressionAttributeValues === undefined) return undefined;
  const withValues = parameters.filter((parameter) => parameter !== 'ProjectionExpression');
  const text = 'ExpressionAttributeValues can only be specified when using expressions';
  if (layer === 'newer' || withValues.length === 0) return validationError(text);
  const verb = withValues.length > 1 ? 'are' : 'is';
  return validationError(`${text}: ${withValues.join(' and ')} ${verb} null`);
}

/**
 * Reads all expressions of a request with their names and values, in the order in which the service finds faults: the
 * maps themselves, update, condition, key condition, filter and projection, unused names, unused values, and last what
 * a key condition must not be. Errors are bare; the envelope is the operation's.
 */
export function readExpressions(
  input: ExpressionInput,
  layer: ValidationLayer,
  parsed: ParsedExpressions,
  valueLevelsMax?: number,
): RequestExpressions | DynamoError {
  if (hasNone(input)) return noExpressions;
  const names = readNames(input.ExpressionAttributeNames, layer);
  if (names instanceof DynamoError) return names;
  const values = readValues(input.ExpressionAttributeValues, layer, names, valueLevelsMax);
  if (values instanceof DynamoError) return values;
  const substitutions = new Substitutions(names, values);
  const read = new ExpressionReading(input, substitutions, parsed);

  const update = read.update();
  if (update instanceof DynamoError) return update;
  const condition = read.condition('ConditionExpression');
  if (condition instanceof DynamoError) return condition;
  const keyCondition = read.condition('KeyConditionExpression');
  if (keyCondition instanceof DynamoError) return keyCondition;
  const filter = read.condition('FilterExpression');
  if (filter instanceof DynamoError) return filter;
  const projection = read.projection();
  if (projection instanceof DynamoError) return projection;

  const unused = checkUnused(substitutions);
  if (unused !== undefined) return unused;
  const clauses = keyCondition && keyClauses(keyCondition);
  if (clauses instanceof DynamoError) return clauses;
  return { update, condition, keyClauses: clauses, filter, projection, values };
}

const noExpressions: RequestExpressions = {
  update: undefined,
  condition: undefined,
  keyClauses: undefined,
  filter: undefined,
  projection: undefined,
  values: new Map(),
};

/** Most requests for single items have no expression at all. */
function hasNone(input: ExpressionInput): boolean {
  return (
    input.ExpressionAttributeNames === undefined &&
    input.ExpressionAttributeValues === undefined &&
    input.UpdateExpression === undefined &&
    input.ConditionExpression === undefined &&
    input.KeyConditionExpression === undefined &&
    input.FilterExpression === undefined &&
    input.ProjectionExpression === undefined
  );
}

/** One expression of a request after the other. */
class ExpressionReading {
  readonly #input: ExpressionInput;
  readonly #substitutions: Substitutions;
  readonly #parsed: ParsedExpressions;

  constructor(input: ExpressionInput, substitutions: Substitutions, parsed: ParsedExpressions) {
    this.#input = input;
    this.#substitutions = substitutions;
    this.#parsed = parsed;
  }

  update(): Update | DynamoError | undefined {
    return this.#read('UpdateExpression', parsedUpdate, resolveUpdate);
  }

  condition(
    parameter: 'ConditionExpression' | 'KeyConditionExpression' | 'FilterExpression',
  ): Condition | DynamoError | undefined {
    return this.#read(parameter, parsedCondition, resolveCondition);
  }

  projection(): Projection | DynamoError | undefined {
    return this.#read('ProjectionExpression', parsedProjection, resolveProjection);
  }

  #read<Tree extends object, Resolved extends object>(
    parameter: ExpressionParameter,
    parse: (parsed: ParsedExpressions, text: string) => Tree | ExpressionProblem,
    resolve: (tree: Tree, substitutions: Substitutions) => Resolved | ExpressionProblem,
  ): Resolved | DynamoError | undefined {
    const text = this.#input[parameter];
    if (text === undefined) return undefined;
    const tree = sizeProblem(parameter, text) ?? parse(this.#parsed, wellFormed(text));
    const resolved = tree instanceof ExpressionProblem ? tree : resolve(tree, this.#substitutions);
    if (!(resolved instanceof ExpressionProblem)) return resolved;
    return validationError(`Invalid ${parameter}: ${resolved.text}`);
  }
}

const parsedUpdate = (parsed: ParsedExpressions, text: string) => parsed.update(text);
const parsedCondition = (parsed: ParsedExpressions, text: string) => parsed.condition(text);
const parsedProjection = (parsed: ParsedExpressions, text: string) => parsed.projection(text);

/** A text that is too long is refused before anyone looks into it; only an update's error keeps its size to itself. */
function sizeProblem(parameter: ExpressionParameter, text: string): ExpressionProblem | undefined {
  if (text === '') return new ExpressionProblem('The expression can not be empty;');
  const { expressionBytesMax } = expressionLimits;
  // A unit of UTF-16 is at most three bytes, so short texts need no counting.
  if (text.length * 3 <= expressionBytesMax) return undefined;
  const bytes = utf8Length(text);
  if (bytes <= expressionBytesMax) return undefined;
  const size = parameter === 'UpdateExpression' ? '' : ` expression size: ${bytes}`;
  return new ExpressionProblem(`Expression size has exceeded the maximum allowed size;${size}`);
}

function checkUnused(substitutions: Substitutions): DynamoError | undefined {
  if (substitutions.areAllUsed) return undefined;
  const { unusedNames, unusedValues } = substitutions;
  return unusedNames.length > 0
    ? unused('ExpressionAttributeNames', unusedNames)
    : unused('ExpressionAttributeValues', unusedValues);
}

function unused(parameter: string, keys: readonly string[]): DynamoError {
  return validationError(`Value provided in ${parameter} unused in expressions: keys: {${keys.join(', ')}}`);
}
