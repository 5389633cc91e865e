import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import { canonicalText, type TypeName, type Value } from './values.ts';

/**
 * Expressions as trees, made by the generator and evaluated as they are by the naive table. Only the engine ever sees
 * them as text, so a mistake in reading text cannot hide on both sides.
 */

/** A top-level name, then names of map members and indexes of list elements. */
export type Path = readonly [string, ...(string | number)[]];

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Operand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'size'; readonly of: Operand };

export type Condition =
  | {
      readonly kind: 'compare';
      readonly comparator: Comparator;
      readonly left: Operand;
      readonly right: Operand;
    }
  | { readonly kind: 'between'; readonly operand: Operand; readonly low: Operand; readonly high: Operand }
  | { readonly kind: 'in'; readonly operand: Operand; readonly list: readonly Operand[] }
  | { readonly kind: 'exists'; readonly path: Path }
  | { readonly kind: 'notExists'; readonly path: Path }
  | { readonly kind: 'type'; readonly operand: Operand; readonly type: TypeName }
  | { readonly kind: 'beginsWith'; readonly whole: Operand; readonly start: Operand }
  | { readonly kind: 'contains'; readonly whole: Operand; readonly part: Operand }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] };

export type UpdateOperand =
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'ifNotExists'; readonly path: Path; readonly otherwise: UpdateOperand }
  | { readonly kind: 'listAppend'; readonly first: UpdateOperand; readonly second: UpdateOperand };

export type SetValue =
  | UpdateOperand
  | {
      readonly kind: 'arithmetic';
      readonly sign: '+' | '-';
      readonly left: UpdateOperand;
      readonly right: UpdateOperand;
    };

export type UpdateAction =
  | { readonly kind: 'set'; readonly path: Path; readonly value: SetValue }
  | { readonly kind: 'remove'; readonly path: Path }
  | { readonly kind: 'add'; readonly path: Path; readonly value: Value }
  | { readonly kind: 'delete'; readonly path: Path; readonly value: Value };

/** At least one action; those of a kind make one section of the text, in the order in which the kinds first appear. */
export type Update = readonly UpdateAction[];

/** At least one path. */
export type Projection = readonly Path[];

/** The expressions of one request. */
export interface Expressions {
  readonly condition?: Condition | undefined;
  readonly update?: Update | undefined;
  readonly projection?: Projection | undefined;
  readonly keyCondition?: Condition | undefined;
  readonly filter?: Condition | undefined;
}

/** The members of a request that expressions become. */
export interface RenderedExpressions {
  ConditionExpression?: string;
  UpdateExpression?: string;
  ProjectionExpression?: string;
  KeyConditionExpression?: string;
  FilterExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, Value>;
}

/**
 * The same spelling always gives the same text. Spelling 0 is the plain one: no needless blanks, parentheses or
 * placeholders. Any other number is a seed by which names, blanks, letter case and parentheses are chosen.
 */
export function render(expressions: Expressions, spelling: number): RenderedExpressions {
  const writer = new Writer(spelling === 0 ? undefined : seededRandom(spelling));
  const rendered: RenderedExpressions = {};
  if (expressions.update) rendered.UpdateExpression = writer.text(updateText(writer, expressions.update));
  if (expressions.condition) {
    rendered.ConditionExpression = writer.text(conditionText(writer, expressions.condition).tokens);
  }
  if (expressions.keyCondition) {
    rendered.KeyConditionExpression = writer.text(conditionText(writer, expressions.keyCondition).tokens);
  }
  if (expressions.filter) {
    rendered.FilterExpression = writer.text(conditionText(writer, expressions.filter).tokens);
  }
  if (expressions.projection) {
    const paths = expressions.projection.map((path) => pathText(writer, path));
    rendered.ProjectionExpression = writer.text(joined(paths, ','));
  }
  if (writer.names.size > 0) rendered.ExpressionAttributeNames = Object.fromEntries(writer.names);
  if (writer.values.size > 0) rendered.ExpressionAttributeValues = Object.fromEntries(writer.values);
  return rendered;
}

/** Text as the pieces between which blanks may stand. */
type Tokens = readonly string[];

class Writer {
  readonly names = new Map<string, string>();
  readonly values = new Map<string, Value>();
  readonly #random: SeededRandom | undefined;

  constructor(random: SeededRandom | undefined) {
    this.#random = random;
  }

  chance(probability: number): boolean {
    return this.#random?.chance(probability) ?? false;
  }

  name(name: string): string {
    if (mayStandBare(name) && !this.chance(0.4)) return name;
    for (const [placeholder, target] of this.names) {
      if (target === name && !this.chance(0.2)) return placeholder;
    }
    const placeholder = `#${this.#stem('n')}${this.names.size}`;
    this.names.set(placeholder, name);
    return placeholder;
  }

  value(value: Value): string {
    for (const [placeholder, target] of this.values) {
      if (canonicalText(target) === canonicalText(value) && !this.chance(0.5)) return placeholder;
    }
    const placeholder = `:${this.#stem('v')}${this.values.size}`;
    this.values.set(placeholder, value);
    return placeholder;
  }

  keyword(word: string): string {
    if (this.chance(0.2)) return word.toLowerCase();
    return this.chance(0.1) ? word[0]! + word.slice(1).toLowerCase() : word;
  }

  /** Between two words there must be a blank; elsewhere there may be one, or several, of any kind. */
  text(tokens: Tokens): string {
    let text = this.chance(0.1) ? this.#blank() : '';
    for (const [i, token] of tokens.entries()) {
      const needed = i > 0 && isWord(tokens[i - 1]!.at(-1)!) && isWord(token[0]!);
      const wanted =
        i > 0 && (this.#random === undefined ? looksBetterApart(tokens[i - 1]!, token) : this.chance(0.3));
      if (needed || wanted) text += this.#blank();
      text += token;
    }
    return this.chance(0.1) ? text + this.#blank() : text;
  }

  #blank(): string {
    if (this.#random === undefined) return ' ';
    return this.#random.chance(0.85) ? ' ' : this.#random.pick(['\t', '\n', '\r\n', '  ']);
  }

  /** The first character of a placeholder may be a digit or an underscore. */
  #stem(usual: string): string {
    if (this.#random === undefined || this.#random.chance(0.7)) return usual;
    return this.#random.pick(['_', '0', 'A', 'and', 'size', 'Set_']);
  }
}

/** Of the names that the generator uses, those that DynamoDB reserves. */
const reserved = new Set(['NAME', 'STATUS', 'LENGTH', 'CONSTRUCTOR']);

function mayStandBare(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && !reserved.has(name.toUpperCase());
}

function isWord(character: string): boolean {
  return /[A-Za-z0-9_#:]/.test(character);
}

/** Only for the plain spelling, which people read. */
function looksBetterApart(before: string, after: string): boolean {
  if (before === ',') return true;
  if (/^[=<>+-]/.test(after) || /^[=<>+-]/.test(before)) return true;
  return (
    (/[)\]]/.test(before) && isWord(after[0]!)) || (/^(AND|OR|NOT|IN|BETWEEN)$/.test(before) && after === '(')
  );
}

function conditionText(writer: Writer, condition: Condition): { tokens: Tokens; group: boolean } {
  const tokens = bareCondition(writer, condition);
  if (!writer.chance(0.2)) return { tokens, group: false };
  return { tokens: ['(', ...tokens, ')'], group: true };
}

/** Inside another condition, where some need parentheses and no pair may stand directly in another. */
function innerCondition(writer: Writer, condition: Condition, needsGroup: boolean): Tokens {
  const { tokens, group } = conditionText(writer, condition);
  return needsGroup && !group ? ['(', ...tokens, ')'] : tokens;
}

function bareCondition(writer: Writer, condition: Condition): Tokens {
  switch (condition.kind) {
    case 'compare':
      return [
        ...operandText(writer, condition.left),
        condition.comparator,
        ...operandText(writer, condition.right),
      ];
    case 'between':
      return [
        ...operandText(writer, condition.operand),
        writer.keyword('BETWEEN'),
        ...operandText(writer, condition.low),
        writer.keyword('AND'),
        ...operandText(writer, condition.high),
      ];
    case 'in': {
      const operand = operandText(writer, condition.operand);
      const list = condition.list.map((member) => bareOperand(writer, member));
      return [...operand, writer.keyword('IN'), '(', ...joined(list, ','), ')'];
    }
    case 'exists':
      return ['attribute_exists', '(', ...pathText(writer, condition.path), ')'];
    case 'notExists':
      return ['attribute_not_exists', '(', ...pathText(writer, condition.path), ')'];
    case 'type': {
      const operand = operandText(writer, condition.operand);
      return ['attribute_type', '(', ...operand, ',', writer.value({ S: condition.type }), ')'];
    }
    case 'beginsWith':
      return call(writer, 'begins_with', condition.whole, condition.start);
    case 'contains':
      return call(writer, 'contains', condition.whole, condition.part);
    case 'not': {
      const { kind } = condition.part;
      return [
        writer.keyword('NOT'),
        ...innerCondition(writer, condition.part, kind === 'and' || kind === 'or'),
      ];
    }
    case 'and': {
      const parts = condition.parts.map((part) => innerCondition(writer, part, part.kind === 'or'));
      return joined(parts, () => writer.keyword('AND'));
    }
    case 'or': {
      const parts = condition.parts.map((part) => innerCondition(writer, part, false));
      return joined(parts, () => writer.keyword('OR'));
    }
  }
}

function call(writer: Writer, name: string, first: Operand, second: Operand): Tokens {
  return [name, '(', ...operandText(writer, first), ',', ...operandText(writer, second), ')'];
}

function operandText(writer: Writer, operand: Operand): Tokens {
  const tokens = bareOperand(writer, operand);
  return writer.chance(0.05) ? ['(', ...tokens, ')'] : tokens;
}

/** Directly inside the parentheses of `size` or IN, where it is not known whether more of them would be too many. */
function bareOperand(writer: Writer, operand: Operand): Tokens {
  switch (operand.kind) {
    case 'path':
      return pathText(writer, operand.path);
    case 'value':
      return [writer.value(operand.value)];
    case 'size':
      return ['size', '(', ...bareOperand(writer, operand.of), ')'];
  }
}

function pathText(writer: Writer, [first, ...rest]: Path): Tokens {
  return [
    writer.name(first),
    ...rest.flatMap((step) =>
      typeof step === 'number' ? ['[', String(step), ']'] : ['.', writer.name(step)],
    ),
  ];
}

function updateText(writer: Writer, update: Update): Tokens {
  const kinds = [...new Set(update.map((action) => action.kind))];
  return kinds.flatMap((kind) => {
    const actions = update
      .filter((action) => action.kind === kind)
      .map((action) => actionText(writer, action));
    return [writer.keyword(kind.toUpperCase()), ...joined(actions, ',')];
  });
}

function actionText(writer: Writer, action: UpdateAction): Tokens {
  const path = pathText(writer, action.path);
  if (action.kind === 'remove') return path;
  if (action.kind === 'set') return [...path, '=', ...setValueText(writer, action.value)];
  return [...path, writer.value(action.value)];
}

function setValueText(writer: Writer, value: SetValue): Tokens {
  if (value.kind !== 'arithmetic') return updateOperandText(writer, value);
  const { left, sign, right } = value;
  const sum = [...updateOperandText(writer, left), sign, ...updateOperandText(writer, right)];
  return writer.chance(0.1) ? ['(', ...sum, ')'] : sum;
}

function updateOperandText(writer: Writer, operand: UpdateOperand): Tokens {
  switch (operand.kind) {
    case 'path':
      return pathText(writer, operand.path);
    case 'value':
      return [writer.value(operand.value)];
    case 'ifNotExists': {
      const path = pathText(writer, operand.path);
      return ['if_not_exists', '(', ...path, ',', ...updateOperandText(writer, operand.otherwise), ')'];
    }
    case 'listAppend': {
      const first = updateOperandText(writer, operand.first);
      return ['list_append', '(', ...first, ',', ...updateOperandText(writer, operand.second), ')'];
    }
  }
}

function joined(parts: readonly Tokens[], separator: string | (() => string)): Tokens {
  const next = typeof separator === 'string' ? () => separator : separator;
  return parts.flatMap((part, i) => (i === 0 ? part : [next(), ...part]));
}
