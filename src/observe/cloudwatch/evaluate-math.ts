import { mathFunctions } from './math-functions.ts';
import { type BinaryOperator, MathError, type MathNode } from './math-syntax.ts';
import type { MathScope, MathValue } from './math-value.ts';
import { type MathWork, stepsOfSeries, stepsOfValue } from './math-work.ts';
import { SeriesList } from './series-list.ts';
import { combine, mapPoints, type TimeSeries } from './time-series.ts';

/** The words that functions take instead of values. */
const keywords = new Set(['REPEAT', 'LINEAR', 'ASC', 'DESC', 'AVG', 'MAX', 'MIN', 'SUM', 'STDDEV']);

export async function evaluateMath(node: MathNode, scope: MathScope): Promise<MathValue | MathError> {
  await scope.work.spend(1);
  switch (node.kind) {
    case 'number':
      return node.value;
    case 'text':
      return node.value;
    case 'name': {
      if (keywords.has(node.name)) return node.name;
      return scope.valueOf(node.name);
    }
    case 'list':
      return listOf(node.items, scope);
    case 'negative': {
      const value = await evaluateMath(node.of, scope);
      return value instanceof MathError ? value : apply('*', -1, value, scope);
    }
    case 'binary': {
      const left = await evaluateMath(node.left, scope);
      if (left instanceof MathError) return left;
      const right = await evaluateMath(node.right, scope);
      return right instanceof MathError ? right : apply(node.operator, left, right, scope);
    }
    case 'call':
      return call(node, scope);
  }
}

async function listOf(items: readonly MathNode[], scope: MathScope): Promise<SeriesList | MathError> {
  const all: TimeSeries[] = [];
  for (const item of items) {
    const value = await evaluateMath(item, scope);
    if (value instanceof MathError) return value;
    if (typeof value === 'number' || typeof value === 'string')
      return new MathError('An array may only hold time series');
    const added = value instanceof SeriesList ? value.all : [value];
    // Arrays in arrays grow to their product: each element counts, though its points are shared.
    scope.work.take(added.length * elementSteps);
    await scope.work.slice(added.length);
    for (const series of added) all.push(series);
  }
  return new SeriesList(all);
}

/** An element takes memory for as long as the request lasts. */
const elementSteps = 10;

async function call(node: MathNode & { kind: 'call' }, scope: MathScope): Promise<MathValue | MathError> {
  const run = Object.hasOwn(mathFunctions, node.name) ? mathFunctions[node.name] : undefined;
  if (run === undefined) return new MathError(`Unknown function: ${node.name}`);
  const values: MathValue[] = [];
  for (const argument of node.arguments) {
    const value = await evaluateMath(argument, scope);
    if (value instanceof MathError) return value;
    values.push(value);
    if (value instanceof SeriesList) await scope.work.spend(value.all.length);
  }
  return run(values, scope);
}

const operators: Readonly<Record<BinaryOperator, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '^': (a, b) => a ** b,
  '==': (a, b) => (a === b ? 1 : 0),
  '!=': (a, b) => (a === b ? 0 : 1),
  '<': (a, b) => (a < b ? 1 : 0),
  '<=': (a, b) => (a <= b ? 1 : 0),
  '>': (a, b) => (a > b ? 1 : 0),
  '>=': (a, b) => (a >= b ? 1 : 0),
  '&&': (a, b) => (a !== 0 && b !== 0 ? 1 : 0),
  '||': (a, b) => (a !== 0 || b !== 0 ? 1 : 0),
};

/**
 * Applies an operator to numbers and series in any mixture. Two series meet at the moments that both have; an array meets
 * each side one by one. A division by zero leaves no point.
 */
async function apply(
  operator: BinaryOperator,
  left: MathValue,
  right: MathValue,
  { work }: MathScope,
): Promise<MathValue | MathError> {
  if (typeof left === 'string' || typeof right === 'string')
    return new MathError(`Unsupported operand types for '${operator}'`);
  if (typeof left === 'number' && typeof right === 'number') return operators[operator](left, right);
  if (left instanceof SeriesList) {
    if (!(right instanceof SeriesList))
      return eachWith(left, right, work, (one) => combined(operator, one, right));
    if (left.all.length !== right.all.length)
      return new MathError(`The arrays on both sides of '${operator}' must have the same length`);
    return eachWith(left, right, work, (one, at) => combined(operator, one, right.all[at]!));
  }
  if (right instanceof SeriesList) return eachWith(right, left, work, (one) => combined(operator, left, one));
  await work.spend(stepsOfValue(left) + stepsOfValue(right));
  return combined(operator, left, right);
}

/** A series on the other side is walked through for each of the list. */
function eachWith(
  list: SeriesList,
  other: MathValue,
  work: MathWork,
  change: (series: TimeSeries, at: number) => TimeSeries,
): Promise<SeriesList> {
  const others = other instanceof SeriesList ? other.all : undefined;
  const steps = others === undefined ? stepsOfValue(other) : 0;
  if (others !== undefined) work.take(stepsOfValue(other));
  return work.each(list, change, (series) => stepsOfSeries(series) + steps);
}

function combined(
  operator: BinaryOperator,
  left: number | TimeSeries,
  right: number | TimeSeries,
): TimeSeries {
  const compute = operators[operator];
  if (typeof left === 'number')
    return mapPoints(right as TimeSeries, (value) => finite(compute(left, value)));
  if (typeof right === 'number') return mapPoints(left, (value) => finite(compute(value, right)));
  return combine(left, right, compute);
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
