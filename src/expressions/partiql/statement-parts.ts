import { expressionLimits } from '../../model/limits.ts';
import type { AttributeValue } from '../../model/values/attribute-value.ts';
import { wellFormed } from '../../model/values/utf8.ts';
import { excessOf } from '../path.ts';
import type { ParsedPath, ParsedPathElement, ParsedValue } from '../tree.ts';
import type { Expression, Place } from './expression.ts';
import { literalValue } from './literal-value.ts';
import type { StatementReader } from './statement-reader.ts';
import { parameterReference, type SetArgument } from './statement-tree.ts';

/**
 * What the conditions, updates and columns of one statement are made of: paths, and values by reference. Problems go
 * to the reader, and what comes out after one is seen by nobody.
 */
export class StatementParts {
  readonly literals = new Map<string, AttributeValue>();
  readonly setArguments: SetArgument[] = [];
  readonly #reader: StatementReader;

  constructor(reader: StatementReader) {
    this.#reader = reader;
  }

  fail(text: string, token?: Place): void {
    this.#reader.fail(text, token);
  }

  /** A parameter that has to be a set; whether it is one shows when the statement is run. */
  expectSet(parameter: ParsedValue, text: string, token: Place): void {
    this.setArguments.push({
      reference: parameter.reference,
      problem: `${text} at ${this.#reader.place(token)}`,
    });
  }

  /** A parameter or a literal. */
  value(expression: Expression): ParsedValue {
    if (expression.kind === 'parameter') {
      return { kind: 'value', reference: parameterReference(expression.position) };
    }
    const value = literalValue(expression);
    if ('error' in value) {
      this.fail(value.error.message ?? '', value.token);
      return { kind: 'value', reference: '' };
    }
    return this.constant(value);
  }

  constant(value: AttributeValue): ParsedValue {
    const reference = `'${this.literals.size}`;
    this.literals.set(reference, value);
    return { kind: 'value', reference };
  }

  path({ steps, token }: Extract<Expression, { kind: 'path' }>): ParsedPath {
    const elements: ParsedPathElement[] = [];
    for (const step of steps) {
      if (step.kind === 'name') elements.push(this.#name(step.name));
      else if (step.kind === 'index') elements.push(this.#index(step.index));
      else if (step.kind === 'unpivot') this.fail('Unpivot path component like a.*.b are not supported');
      else this.fail('Wildcard path component like a[*].b are not supported');
    }
    const path: ParsedPath = { kind: 'path', elements };
    const excess = excessOf(path);
    if (excess !== undefined) this.fail(excess, token);
    return path;
  }

  #name(name: string): ParsedPathElement {
    if (name === '') this.fail('Path component cannot be an empty string');
    return { kind: 'name', name: wellFormed(name) };
  }

  /**
   * `[-0]` is `[0]`, and an index that no list has is told with its place (observed: public captures, September 2026).
   */
  #index(expression: Expression): ParsedPathElement {
    const digits = expression.kind === 'number' ? expression.text : '';
    if (!/^-?\d+$/.test(digits)) this.fail('Unexpected path component', expression.token);
    const index = Number(digits);
    if (index < 0 || index > expressionLimits.listIndexMax) {
      this.fail(`List index is not within the allowable range; index: [${digits}]`, expression.token);
    }
    return { kind: 'index', index: Math.abs(index), digits };
  }
}
