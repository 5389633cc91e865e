import { mathFunctions } from './math-functions.ts';
import { type BinaryOperator, MathError, type MathNode } from './math-syntax.ts';
import type { MathScope, MathValue } from './math-value.ts';
import { SeriesList } from './series-list.ts';
import { combine, mapPoints, type TimeSeries } from './time-series.ts';

/** The words that functions take instead of values. */
const keywords = new Set(['REPEAT', 'LINEAR', 'ASC', 'DESC', 'AVG', 'MAX', 'MIN', 'SUM', 'STDDEV']);

export function evaluateMath(node: MathNode, scope: MathScope): MathValue | MathError {
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
      const value = evaluateMath(node.of, scope);
      return value instanceof MathError ? value : apply('*', -1, value);
    }
    case 'binary': {
      const left = evaluateMath(node.left, scope);
      if (left instanceof MathError) return left;
      const right = evaluateMath(node.right, scope);
      return right instanceof MathError ? right : apply(node.operator, left, right);
    }
    case 'call':
      return call(node, scope);
  }
}

function listOf(items: readonly MathNode[], scope: MathScope): SeriesList | MathError {
  const all: TimeSeries[] = [];
  for (const item of items) {
    const value = evaluateMath(item, scope);
    if (value instanceof MathError) return value;
    if (typeof value === 'number' || typeof value === 'string')
      return new MathError('An array may only hold time series');
    all.push(...(value instanceof SeriesList ? value.all : [value]));
  }
  return new SeriesList(all);
}

function call(node: MathNode & { kind: 'call' }, scope: MathScope): MathValue | MathError {
  const run = Object.hasOwn(mathFunctions, node.name) ? mathFunctions[node.name] : undefined;
  if (run === undefined) return new MathError(`Unknown function: ${node.name}`);
  const values: MathValue[] = [];
  for (const argument of node.arguments) {
    const value = evaluateMath(argument, scope);
    if (value instanceof MathError) return value;
    values.push(value);
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
export function apply(operator: BinaryOperator, left: MathValue, right: MathValue): MathValue | MathError {
  if (typeof left === 'string' || typeof right === 'string')
    return new MathError(`Unsupported operand types for '${operator}'`);
  const compute = operators[operator];
  if (typeof left === 'number' && typeof right === 'number') return compute(left, right);
  if (left instanceof SeriesList || right instanceof SeriesList) return applyEach(operator, left, right);
  if (typeof left === 'number')
    return mapPoints(right as TimeSeries, (value) => finite(compute(left, value)));
  if (typeof right === 'number') return mapPoints(left, (value) => finite(compute(value, right)));
  return combine(left, right, compute);
}

function applyEach(operator: BinaryOperator, left: MathValue, right: MathValue): MathValue | MathError {
  if (left instanceof SeriesList && right instanceof SeriesList && left.all.length !== right.all.length)
    return new MathError(`The arrays on both sides of '${operator}' must have the same length`);
  const length = left instanceof SeriesList ? left.all.length : (right as SeriesList).all.length;
  const all: TimeSeries[] = [];
  for (let at = 0; at < length; at++) {
    const a = left instanceof SeriesList ? left.all[at]! : left;
    const b = right instanceof SeriesList ? right.all[at]! : right;
    all.push(apply(operator, a, b) as TimeSeries);
  }
  return new SeriesList(all);
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
