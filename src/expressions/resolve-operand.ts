import type { Substitutions } from './substitutions.ts';
import type { DocumentPath, ParsedOperand, ParsedPath } from './tree.ts';

/** The first name of a path that is not defined. */
export function undefinedName(path: ParsedPath, substitutions: Substitutions): string | undefined {
  for (const element of path.elements) {
    if (element.kind === 'reference' && substitutions.name(element.reference) === undefined) {
      return `An expression attribute name used in the document path is not defined; attribute name: ${element.reference}`;
    }
  }
  return undefined;
}

export function undefinedValue(reference: string, substitutions: Substitutions): string | undefined {
  if (substitutions.value(reference) !== undefined) return undefined;
  return `An expression attribute value used in expression is not defined; attribute value: ${reference}`;
}

/** The first name or value of an operand that is not defined, in the order of the text. */
function undefinedIn(operand: ParsedOperand, substitutions: Substitutions): string | undefined {
  if (operand.kind === 'path') return undefinedName(operand, substitutions);
  if (operand.kind === 'value') return undefinedValue(operand.reference, substitutions);
  return undefinedAmong(operand.operands, substitutions);
}

export function undefinedAmong(
  operands: readonly ParsedOperand[],
  substitutions: Substitutions,
): string | undefined {
  for (const operand of operands) {
    const problem = undefinedIn(operand, substitutions);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A path whose names are known to be defined. A `#name` is one element, whatever dots its attribute's name has. */
export function resolvedPath(path: ParsedPath, substitutions: Substitutions): DocumentPath {
  const elements = path.elements.map((element) => {
    if (element.kind === 'index') return element.index;
    return element.kind === 'name' ? element.name : substitutions.name(element.reference)!;
  });
  // The grammar lets no path begin with an index.
  return elements as [string, ...(string | number)[]];
}
