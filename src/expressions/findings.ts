import { ExpressionProblem } from './tree.ts';

/**
 * The first fault of each kind, in the order of the text. Which kind is reported when there are several is decided
 * at the end, because the service judges a whole expression for one kind before it looks at the next.
 */
export class Findings<Kind extends string> {
  readonly #first = new Map<Kind, string>();
  readonly #priority: readonly Kind[];

  /** The kinds, the most important first. */
  constructor(priority: readonly Kind[]) {
    this.#priority = priority;
  }

  add(kind: Kind, text: string | undefined): void {
    if (text !== undefined && !this.#first.has(kind)) this.#first.set(kind, text);
  }

  get problem(): ExpressionProblem | undefined {
    for (const kind of this.#priority) {
      const text = this.#first.get(kind);
      if (text !== undefined) return new ExpressionProblem(text);
    }
    return undefined;
  }
}

/** The first fault that any of the parts has. */
export function firstFault<T>(
  parts: readonly T[],
  faultOf: (part: T) => string | undefined,
): string | undefined {
  for (const part of parts) {
    const fault = faultOf(part);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
