import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { parseCondition } from './parse-condition.ts';
import { parseProjection } from './parse-projection.ts';
import { parseUpdate } from './parse-update.ts';
import type {
  Comparator,
  ParsedAction,
  ParsedArithmetic,
  ParsedCondition,
  ParsedOperand,
  ParsedPath,
  ParsedPathElement,
  ParsedPrimitive,
  SectionName,
} from './tree.ts';

/** Random trees, printed with random blanks and with parentheses where they may be, come back as they were. */

const name = fc
  .constantFrom('a', 'B2', 'c_', 'contains', 'Zz9_z')
  .map((text): ParsedPathElement => ({ kind: 'name', name: text }));
const reference = fc
  .constantFrom('#a', '#9', '#_')
  .map((text): ParsedPathElement => ({ kind: 'reference', reference: text }));
const index = fc
  .nat(2_147_483_647)
  .map((number): ParsedPathElement => ({ kind: 'index', index: number, digits: String(number) }));
const path = fc
  .tuple(fc.oneof(name, reference), fc.array(fc.oneof(name, reference, index), { maxLength: 4 }))
  .map(([head, rest]): ParsedPath => ({ kind: 'path', elements: [head, ...rest] }));
const value = fc.constantFrom(':a', ':9', ':_x').map((text) => ({ kind: 'value' as const, reference: text }));
const call = (functionName: string, ...operands: fc.Arbitrary<ParsedOperand>[]) =>
  fc.tuple(...operands).map((all) => ({ kind: 'call' as const, function: functionName, operands: all }));

const simple: fc.Arbitrary<ParsedOperand> = fc.oneof(path, value);
const operand: fc.Arbitrary<ParsedOperand> = fc.oneof(
  { weight: 4, arbitrary: simple },
  { weight: 1, arbitrary: call('size', simple) },
);
const comparator = fc.constantFrom<Comparator>('=', '<>', '<', '<=', '>', '>=');
const primitive: fc.Arbitrary<ParsedPrimitive> = fc.oneof(
  fc.record({ kind: fc.constant('compare' as const), comparator, left: operand, right: operand }),
  fc.record({ kind: fc.constant('between' as const), operand, low: operand, high: operand }),
  fc.record({
    kind: fc.constant('in' as const),
    operand,
    list: fc.array(operand, { minLength: 1, maxLength: 4 }),
  }),
  call('attribute_exists', operand),
  call('contains', operand, operand),
  call('begins_with', operand, operand, operand),
);
const { condition } = fc.letrec<{ condition: ParsedCondition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4 },
    primitive,
    fc.record({
      kind: fc.constantFrom('and' as const, 'or' as const),
      conditions: fc.array(tie('condition'), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ kind: fc.constant('not' as const), condition: tie('condition') }),
  ),
}));

/** Chooses, in the order of printing, where to put what may be there or not. */
type Choose = (count: number) => number;

function pathTokens({ elements }: ParsedPath): string[] {
  return elements.flatMap((element, i) => {
    if (element.kind === 'index') return ['[', element.digits, ']'];
    return [...(i === 0 ? [] : ['.']), element.kind === 'name' ? element.name : element.reference];
  });
}

function operandTokens(parsed: ParsedOperand, choose: Choose): string[] {
  const bare =
    parsed.kind === 'path'
      ? pathTokens(parsed)
      : parsed.kind === 'value'
        ? [parsed.reference]
        : [parsed.function, '(', ...listTokens(parsed.operands, choose), ')'];
  return choose(4) === 0 ? ['(', ...bare, ')'] : bare;
}

function listTokens(operands: readonly ParsedOperand[], choose: Choose): string[] {
  return operands.flatMap((each, i) => [...(i === 0 ? [] : [',']), ...operandTokens(each, choose)]);
}

function conditionTokens(parsed: ParsedCondition, choose: Choose): string[] {
  const grouped = (child: ParsedCondition, needed: boolean) => {
    const tokens = conditionTokens(child, choose);
    // A lone function in parentheses may be in parentheses already.
    return needed || (child.kind !== 'call' && choose(3) === 0) ? ['(', ...tokens, ')'] : tokens;
  };
  switch (parsed.kind) {
    case 'and':
    case 'or':
      return parsed.conditions.flatMap((child, i) => {
        const needed = child.kind === 'or' || (child.kind === 'and' && parsed.kind === 'and');
        return [...(i === 0 ? [] : [keyword(parsed.kind, choose)]), ...grouped(child, needed)];
      });
    case 'not':
      return [
        keyword('not', choose),
        ...grouped(parsed.condition, parsed.condition.kind === 'and' || parsed.condition.kind === 'or'),
      ];
    case 'compare':
      return [
        ...operandTokens(parsed.left, choose),
        parsed.comparator,
        ...operandTokens(parsed.right, choose),
      ];
    case 'between':
      return [
        ...[...operandTokens(parsed.operand, choose), keyword('between', choose)],
        ...[
          ...operandTokens(parsed.low, choose),
          keyword('and', choose),
          ...operandTokens(parsed.high, choose),
        ],
      ];
    case 'in':
      return [
        ...operandTokens(parsed.operand, choose),
        keyword('in', choose),
        '(',
        ...listTokens(parsed.list, choose),
        ')',
      ];
    case 'call':
      return [parsed.function, '(', ...listTokens(parsed.operands, choose), ')'];
  }
}

function keyword(word: string, choose: Choose): string {
  return choose(2) === 0 ? word : word.toUpperCase();
}

/** Words and digits need a blank between them, all else may do without. */
function text(tokens: readonly string[], choose: Choose): string {
  return tokens.reduce((before, token) => {
    const needed = /\w$/.test(before) && /^\w/.test(token);
    const clash = /[<>=]$/.test(before) && /^[<>=]/.test(token);
    return before + ['', ' ', '\t ', '\n'][needed || clash ? 1 + choose(3) : choose(4)] + token;
  });
}

const choices = fc.array(fc.nat(), { minLength: 1, maxLength: 50 }).map((numbers): Choose => {
  let at = 0;
  return (count) => numbers[at++ % numbers.length]! % count;
});

it('of conditions', () => {
  assertProperty(
    fc.property(condition, choices, (tree, choose) => {
      const printed = text(conditionTokens(tree, choose), choose);
      fc.pre((printed.match(/and|or|not|[<>=]+|between|\bin\b/gi)?.length ?? 0) < 300);
      // Functions with too many operands are a matter of names and values, which come later.
      expect(parseCondition(printed), printed).toEqual(tree);
    }),
    { numRuns: 500 },
  );
});

it('of projections', () => {
  assertProperty(
    fc.property(fc.array(path, { minLength: 1, maxLength: 6 }), choices, (paths, choose) => {
      const tokens = paths.flatMap((each, i) => [...(i === 0 ? [] : [',']), ...pathTokens(each)]);
      expect(parseProjection(text(tokens, choose))).toEqual({ paths });
    }),
    { numRuns: 200 },
  );
});

const updateOperand: fc.Arbitrary<ParsedOperand> = fc.oneof(simple, call('if_not_exists', path, simple));
/** A `list_append` is a whole value, and no operand. */
const updateValue = fc.oneof(updateOperand, call('list_append', updateOperand, updateOperand));
const arithmetic: fc.Arbitrary<ParsedArithmetic> = fc.record({
  kind: fc.constant('arithmetic' as const),
  operator: fc.constantFrom('+' as const, '-' as const),
  left: updateOperand,
  right: updateOperand,
});
const actionsOf: Readonly<Record<SectionName, fc.Arbitrary<ParsedAction>>> = {
  SET: fc.record({ section: fc.constant('SET' as const), path, value: fc.oneof(updateValue, arithmetic) }),
  REMOVE: fc.record({ section: fc.constant('REMOVE' as const), path, value: fc.constant(undefined) }),
  ADD: fc.record({ section: fc.constant('ADD' as const), path, value }),
  DELETE: fc.record({ section: fc.constant('DELETE' as const), path, value }),
};
const sections = fc
  .shuffledSubarray<SectionName>(['SET', 'REMOVE', 'ADD', 'DELETE'], { minLength: 1 })
  .chain((names) =>
    fc.tuple(...names.map((each) => fc.array(actionsOf[each], { minLength: 1, maxLength: 3 }))),
  );

function actionTokens(action: ParsedAction, choose: Choose): string[] {
  const target = pathTokens(action.path);
  const parsed = action.value;
  if (parsed === undefined) return target;
  if (action.section !== 'SET') return [...target, (parsed as { reference: string }).reference];
  const tokens =
    parsed.kind === 'arithmetic'
      ? [
          ...operandTokens(parsed.left as ParsedOperand, choose),
          parsed.operator,
          ...operandTokens(parsed.right as ParsedOperand, choose),
        ]
      : operandTokens(parsed, choose);
  return [...target, '=', ...(choose(3) === 0 ? ['(', ...tokens, ')'] : tokens)];
}

it('of updates', () => {
  assertProperty(
    fc.property(sections, choices, (all, choose) => {
      const tokens = all.flatMap((actions) => [
        keyword(actions[0]!.section.toLowerCase(), choose),
        ...actions.flatMap((action, i) => [...(i === 0 ? [] : [',']), ...actionTokens(action, choose)]),
      ]);
      const printed = text(tokens, choose);
      expect(parseUpdate(printed), printed).toEqual({ actions: all.flat() });
    }),
    { numRuns: 300 },
  );
});
