import { expressionLimits } from '../model/limits.ts';
import { Findings } from './findings.ts';
import { misusedFunction, unknownFunction } from './functions.ts';
import { operandsOf } from './operands.ts';
import { type GroupRules, parseOperand } from './parse-operand.ts';
import { excessOf, extendPath, reservedWordIn } from './path.ts';
import { TokenReader } from './token-reader.ts';
import {
  type Comparator,
  ExpressionProblem,
  type ParsedCall,
  type ParsedCondition,
  type ParsedOperand,
  type ParsedPath,
} from './tree.ts';

/**
 * Reads a condition, filter or key condition, and judges all of it that needs no names and values. Of several faults
 * the service reports syntax first, then parentheses, unknown functions, misused functions and reserved words
 * (observed: public suites before 2024). Where too many operators, indexes and depth stand in that row is unknown
 * (guess).
 */
export function parseCondition(text: string): ParsedCondition | ExpressionProblem {
  const parser = new ConditionParser(text);
  const condition = parser.parse();
  return parser.problem ?? staticProblem(condition) ?? condition;
}

const keywords: ReadonlySet<string> = new Set(['AND', 'OR', 'NOT', 'BETWEEN', 'IN']);
const comparators: ReadonlySet<string> = new Set<Comparator>(['=', '<>', '<', '<=', '>', '>=']);

/** What has been read of one pair of parentheses, or of the whole. */
interface Level {
  /** Terms of OR that are complete. */
  readonly terms: ParsedCondition[];
  /** Factors of the AND that is being read. */
  factors: ParsedCondition[];
  /** How often NOT stands before the condition that comes next. */
  negations: number;
}

/**
 * Parentheses may hold a condition or an operand, and which one shows only at their end: `(a) = :v` and `(a = :v)`
 * begin alike. Nothing is read twice for that. Levels are kept in a list rather than by recursion, because 4 KB hold
 * four thousand of them.
 */
class ConditionParser implements GroupRules {
  readonly #reader: TokenReader;
  /** The levels around the one that is being read, the outermost first. */
  readonly #outer: Level[] = [];
  #level: Level = newLevel();
  #operators = 0;
  #redundant = false;

  constructor(text: string) {
    this.#reader = new TokenReader(text, keywords);
  }

  get problem(): ExpressionProblem | undefined {
    if (this.#reader.problem !== undefined) return this.#reader.problem;
    if (this.#operators > expressionLimits.operatorsMax) {
      return new ExpressionProblem(
        `The expression contains too many operators; operator count: ${this.#operators}`,
      );
    }
    return this.#redundant ? new ExpressionProblem('The expression has redundant parentheses;') : undefined;
  }

  parse(): ParsedCondition {
    for (;;) {
      this.#takeNegations();
      if (this.#reader.takeIf('(')) {
        this.#outer.push(this.#level);
        this.#level = newLevel();
        continue;
      }
      const whole = this.#completeLevels(this.#primitive());
      if (whole !== undefined) return whole;
    }
  }

  #takeNegations(): void {
    while (this.#reader.isKeyword('NOT')) {
      this.#reader.take();
      this.#operators++;
      this.#level.negations++;
    }
  }

  /** A condition without conditions in it, and whether all of it stands in parentheses of its own. */
  #primitive(): { condition: ParsedCondition; grouped: boolean } {
    const { operand, grouped } = this.#firstOperand();
    const reader = this.#reader;
    if (reader.token.kind === 'symbol' && comparators.has(reader.token.text)) {
      this.#operators++;
      const comparator = reader.take().text as Comparator;
      return {
        condition: { kind: 'compare', comparator, left: operand, right: this.#operand() },
        grouped: false,
      };
    }
    if (reader.isKeyword('BETWEEN')) return { condition: this.#between(operand), grouped: false };
    if (reader.isKeyword('IN')) return { condition: this.#in(operand), grouped: false };
    if (operand.kind === 'call') return { condition: operand, grouped };
    reader.fail();
    return { condition: nothing, grouped };
  }

  /** The operand that a condition begins with. Levels that were opened and hold nothing else end here. */
  #firstOperand(): { operand: ParsedOperand; grouped: boolean } {
    const operand = this.#operand();
    let grouped = false;
    while (this.#reader.isSymbol(')') && this.#outer.length > 0 && isUntouched(this.#level)) {
      this.#reader.take();
      this.#level = this.#outer.pop()!;
      if (grouped) this.foundRedundant();
      grouped = !this.extend(operand);
    }
    return { operand, grouped };
  }

  /**
   * Puts a condition in its place. Answers the whole when it is complete, and nothing when another condition has to
   * follow.
   */
  #completeLevels(first: { condition: ParsedCondition; grouped: boolean }): ParsedCondition | undefined {
    const reader = this.#reader;
    let { condition, grouped } = first;
    for (;;) {
      const level = this.#level;
      const alone = isUntouched(level);
      level.factors.push(negated(condition, level.negations));
      level.negations = 0;
      if (reader.isKeyword('AND') || reader.isKeyword('OR')) {
        this.#operators++;
        if (reader.take().text.toUpperCase() === 'OR') endTerm(level);
        return undefined;
      }
      condition = joined(level);
      if (this.#outer.length === 0 || !reader.isSymbol(')')) break;
      reader.take();
      if (alone && grouped) this.foundRedundant();
      grouped = true;
      this.#level = this.#outer.pop()!;
    }
    if (this.#outer.length > 0) reader.fail();
    reader.expectEnd();
    return condition;
  }

  #between(operand: ParsedOperand): ParsedCondition {
    this.#operators++;
    this.#reader.take();
    const low = this.#operand();
    this.#reader.expectKeyword('AND');
    return { kind: 'between', operand, low, high: this.#operand() };
  }

  #in(operand: ParsedOperand): ParsedCondition {
    this.#operators++;
    this.#reader.take();
    this.#reader.expect('(');
    const list = [this.#operand()];
    while (this.#reader.takeIf(',')) list.push(this.#operand());
    this.#reader.expect(')');
    return { kind: 'in', operand, list };
  }

  /** An operand where nothing else can stand. */
  #operand(): ParsedOperand {
    return parseOperand(this.#reader, this);
  }

  /** `(a).b` is the path `a.b`; values and calls have no members. */
  extend(operand: ParsedOperand): boolean {
    return operand.kind === 'path' && extendPath(this.#reader, operand);
  }

  foundRedundant(): void {
    this.#redundant = true;
  }
}

/** Stands for a condition after a syntax error; no one gets to see it. */
const nothing: ParsedCondition = { kind: 'or', conditions: [] };

function newLevel(): Level {
  return { terms: [], factors: [], negations: 0 };
}

function isUntouched(level: Level): boolean {
  return level.terms.length === 0 && level.factors.length === 0 && level.negations === 0;
}

function negated(condition: ParsedCondition, times: number): ParsedCondition {
  let result = condition;
  for (let i = 0; i < times; i++) result = { kind: 'not', condition: result };
  return result;
}

function endTerm(level: Level): void {
  const { factors } = level;
  level.terms.push(factors.length === 1 ? factors[0]! : { kind: 'and', conditions: factors });
  level.factors = [];
}

function joined(level: Level): ParsedCondition {
  endTerm(level);
  const { terms } = level;
  return terms.length === 1 ? terms[0]! : { kind: 'or', conditions: terms };
}

type Fault = 'unknown function' | 'misused function' | 'reserved word' | 'excess';
const priority: readonly Fault[] = ['unknown function', 'misused function', 'reserved word', 'excess'];

/** Recursion is safe here: 300 operators make no more levels than that, and calls nest two thousand deep at most. */
function staticProblem(condition: ParsedCondition): ExpressionProblem | undefined {
  const findings = new Findings<Fault>(priority);
  judgeCondition(condition, findings);
  return findings.problem;
}

function judgeCondition(condition: ParsedCondition, findings: Findings<Fault>): void {
  if (condition.kind === 'and' || condition.kind === 'or') {
    for (const part of condition.conditions) judgeCondition(part, findings);
  } else if (condition.kind === 'not') judgeCondition(condition.condition, findings);
  else {
    if (condition.kind === 'call') judgeCall(condition, 'condition', findings);
    judgeOperands(operandsOf(condition), findings);
  }
}

function judgeCall(
  call: ParsedCall,
  use: 'condition' | 'operand of a condition',
  findings: Findings<Fault>,
): void {
  findings.add('unknown function', unknownFunction(call));
  findings.add('misused function', misusedFunction(call, use));
}

function judgeOperands(operands: readonly ParsedOperand[], findings: Findings<Fault>): void {
  for (const operand of operands) {
    if (operand.kind === 'path') judgePath(operand, findings);
    if (operand.kind !== 'call') continue;
    judgeCall(operand, 'operand of a condition', findings);
    judgeOperands(operand.operands, findings);
  }
}

function judgePath(path: ParsedPath, findings: Findings<Fault>): void {
  findings.add('reserved word', reservedWordIn(path));
  findings.add('excess', excessOf(path));
}
