import type { Condition, Operand, Path, Projection } from './expression-trees.ts';
import { type Attributes, attributes, type Value } from './values.ts';

/** The value at a path, or undefined when any part of the way is missing or of another type. */
export function valueAt(item: Attributes, [first, ...rest]: Path): Value | undefined {
  let value: Value | undefined = item[first];
  for (const step of rest) {
    if (value === undefined) return undefined;
    if (typeof step === 'number') value = 'L' in value ? value.L[step] : undefined;
    else value = 'M' in value ? value.M[step] : undefined;
  }
  return value;
}

/** The part of an item that some paths lead to, with the list elements that were asked for moved together. */
export function project(item: Attributes, projection: Projection): Attributes {
  const kept = keptPart({ M: item }, projection);
  return kept !== undefined && 'M' in kept ? kept.M : attributes();
}

type Steps = readonly (string | number)[];

function keptPart(value: Value, paths: readonly Steps[]): Value | undefined {
  if (paths.some((steps) => steps.length === 0)) return value;
  if ('M' in value) {
    const kept = attributes();
    for (const name of Object.keys(value.M)) {
      const member = keptPart(value.M[name]!, through(paths, name));
      if (member !== undefined) kept[name] = member;
    }
    return Object.keys(kept).length === 0 ? undefined : { M: kept };
  }
  if ('L' in value) {
    const kept = value.L.map((element, i) => keptPart(element, through(paths, i)));
    const found = kept.filter((element) => element !== undefined);
    return found.length === 0 ? undefined : { L: found };
  }
  return undefined;
}

function through(paths: readonly Steps[], step: string | number): Steps[] {
  return paths.filter((steps) => steps[0] === step).map((steps) => steps.slice(1));
}

/** Every path of a condition. */
export function pathsOf(condition: Condition): Path[] {
  const ofOperand = (operand: Operand): Path[] =>
    operand.kind === 'path' ? [operand.path] : operand.kind === 'size' ? ofOperand(operand.of) : [];
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.parts.flatMap(pathsOf);
    case 'not':
      return pathsOf(condition.part);
    case 'exists':
    case 'notExists':
      return [condition.path];
    case 'compare':
      return [condition.left, condition.right].flatMap(ofOperand);
    case 'between':
      return [condition.operand, condition.low, condition.high].flatMap(ofOperand);
    case 'in':
      return [condition.operand, ...condition.list].flatMap(ofOperand);
    case 'type':
      return ofOperand(condition.operand);
    case 'beginsWith':
      return [condition.whole, condition.start].flatMap(ofOperand);
    case 'contains':
      return [condition.whole, condition.part].flatMap(ofOperand);
  }
}
