import type { DynamoError } from '../model/errors.ts';
import { ownCopy } from '../model/json/json-reader.ts';
import { parseCondition } from './parse-condition.ts';
import { parseProjection } from './parse-projection.ts';
import { parseUpdate } from './parse-update.ts';
import { parseStatement } from './partiql/parse-statement.ts';
import type { ParsedStatement } from './partiql/statement-tree.ts';
import type { ExpressionProblem, ParsedCondition, ParsedProjection, ParsedUpdate } from './tree.ts';

/**
 * Parsed expressions by their texts. What is wrong with a text does not depend on the request either, so problems are
 * kept like trees. A program repeats a few texts for ever; the bound is for those that put values into their texts.
 */
export class ParsedExpressions {
  readonly #conditions: BoundedCache<ParsedCondition | ExpressionProblem>;
  readonly #updates: BoundedCache<ParsedUpdate | ExpressionProblem>;
  readonly #projections: BoundedCache<ParsedProjection | ExpressionProblem>;
  readonly #statements: BoundedCache<ParsedStatement | DynamoError>;

  /** How many characters of text to keep of each kind. A tree takes some tens of bytes for each. */
  constructor(charactersMax = 256 * 1024) {
    this.#conditions = new BoundedCache(charactersMax, parseCondition);
    this.#updates = new BoundedCache(charactersMax, parseUpdate);
    this.#projections = new BoundedCache(charactersMax, parseProjection);
    this.#statements = new BoundedCache(charactersMax, parseStatement);
  }

  /** Of a condition, filter or key condition. */
  condition(text: string): ParsedCondition | ExpressionProblem {
    return this.#conditions.get(text);
  }

  update(text: string): ParsedUpdate | ExpressionProblem {
    return this.#updates.get(text);
  }

  projection(text: string): ParsedProjection | ExpressionProblem {
    return this.#projections.get(text);
  }

  /** Of PartiQL. */
  statement(text: string): ParsedStatement | DynamoError {
    return this.#statements.get(text);
  }
}

/**
 * Two generations: what is asked for lives in the young one, and when that holds half of what is allowed, it becomes
 * the old one and the old one is forgotten. A hit among the young, which is nearly every one, changes nothing.
 */
export class BoundedCache<T> {
  readonly #halfMax: number;
  readonly #make: (text: string) => T;
  #young = new Map<string, T>();
  #old = new Map<string, T>();
  #youngCharacters = 0;

  constructor(charactersMax: number, make: (text: string) => T) {
    this.#halfMax = charactersMax / 2;
    this.#make = make;
  }

  /** The number of texts that are kept. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(text: string): T {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const own = ownCopy(text);
    const value = this.#old.get(own) ?? this.#make(own);
    this.#old.delete(own);
    this.#add(own, value);
    return value;
  }

  #add(text: string, value: T): void {
    if (text.length > this.#halfMax) return;
    if (this.#youngCharacters + text.length > this.#halfMax) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngCharacters = 0;
    }
    this.#young.set(text, value);
    this.#youngCharacters += text.length;
  }
}
