import { itemLimits } from '../../model/limits.ts';
import type { Token } from './statement-tokens.ts';

/**
 * An expression as PartiQL's grammar has it, where conditions, values and sums are all of one kind. Which of them may
 * stand where is decided by what is made of it.
 */
export type Expression = { readonly token: Place; readonly height: number } & (
  | { readonly kind: 'string' | 'number'; readonly text: string }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' | 'missing' }
  | { readonly kind: 'ion'; readonly text: string }
  | { readonly kind: 'parameter'; readonly position: number }
  | { readonly kind: 'path'; readonly steps: readonly Step[] }
  | { readonly kind: 'call'; readonly name: string; readonly operands: readonly Expression[] }
  | { readonly kind: 'list' | 'bag'; readonly members: readonly Expression[] }
  | { readonly kind: 'struct'; readonly members: readonly StructMember[] }
  | { readonly kind: 'operation'; readonly operator: Operator; readonly operands: readonly Expression[] }
  | { readonly kind: 'is'; readonly operand: Expression; readonly type: string }
);

export interface StructMember {
  readonly name: Expression;
  readonly value: Expression;
}

export type Step =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: Expression }
  /** `a.*` and `a[*]`. */
  | { readonly kind: 'unpivot' | 'wildcard' };

/** Where an expression begins: errors point there. */
export type Place = Pick<Token, 'start' | 'end'>;

export type Operator =
  | 'and'
  | 'or'
  | 'not'
  | '='
  | '<>'
  | '<'
  | '<='
  | '>'
  | '>='
  | 'between'
  | 'in'
  | 'like'
  | '+'
  | '-'
  | '||'
  | '*'
  | '/'
  | '%';

/**
 * How deep expressions may stand in each other. Documents end at 32 levels; the rest is for conditions. A bound is
 * needed so that no text exhausts the stack; what the service's own is, nobody is known to have found out.
 */
export const heightMax = 6 * itemLimits.nestingLevelsMax;

export function heightAbove(parts: readonly Expression[]): number {
  let height = 0;
  for (const part of parts) height = Math.max(height, part.height);
  return height + 1;
}
