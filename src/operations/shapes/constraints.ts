import { tableLimits } from '../../model/limits.ts';
import type {
  Length,
  ListShape,
  MapShape,
  NumberShape,
  Shape,
  StringShape,
  StructureShape,
} from './shape.ts';

/**
 * The second half of the shape stage: the constraints of the service's model (required members, lengths, ranges, patterns, enums).
 * They are looked at in the order of the shape and collected, because the older layer lists up to ten of them; how
 * they are worded is decided elsewhere.
 */
export interface Failure {
  readonly kind: 'absent' | 'size' | 'pattern' | 'enum' | 'keys' | 'entries';
  readonly path: Path;
  readonly shape: Shape;
  readonly value: unknown;
  /** What the member must satisfy. */
  readonly text: string;
}

/** Where a value stands; kept as links so that a path costs nothing until it is printed. */
export interface Path {
  readonly parent: Path | undefined;
  readonly step: string;
  /** Members of structures change their case between the layers, keys and positions do not. */
  readonly isMember: boolean;
}

export const failuresMax = 10;

export type Constrain = (value: unknown, path: Path, failures: Failure[]) => void;

/** `undefined` when nothing below the shape is constrained, so that whole items are never walked. */
export function constraintsOf(shape: Shape): Constrain | undefined {
  switch (shape.kind) {
    case 'string':
      return stringConstraints(shape);
    case 'number':
      return numberConstraints(shape);
    case 'list':
      return listConstraints(shape);
    case 'map':
      return mapConstraints(shape);
    case 'structure':
      return structureConstraints(shape);
    case 'boolean':
    case 'blob':
    case 'timestamp':
    case 'attribute-value':
      return undefined;
  }
}

export function lengthAtLeast(min: number): string {
  return `Member must have length greater than or equal to ${min}`;
}

function lengthAtMost(max: number): string {
  return `Member must have length less than or equal to ${max}`;
}

const arnLengthMax = tableLimits.tableArnLengthMax;

/**
 * A name with several defects has its pattern reported before its length (observed: public captures, index and table
 * names).
 */
function stringConstraints(shape: StringShape): Constrain | undefined {
  const { min, max, pattern, values, orArn } = shape;
  if (min === undefined && max === undefined && pattern === undefined && values === undefined)
    return undefined;
  const allowed = values && new Set(values);

  return (value, path, failures) => {
    const text = value as string;
    if (orArn && text.startsWith('arn:')) {
      if (text.length > arnLengthMax)
        failures.push(sizeFailure(path, shape, text, lengthAtMost(arnLengthMax)));
      return;
    }
    if (pattern !== undefined && !pattern.matches.test(text)) {
      const mustBe = `Member must satisfy regular expression pattern: ${pattern.text}`;
      failures.push({ kind: 'pattern', path, shape, value, text: mustBe });
    }
    checkLength(shape, text.length, shape, value, path, failures);
    if (allowed !== undefined && !allowed.has(text)) {
      const mustBe = `Member must satisfy enum value set: [${values?.join(', ')}]`;
      failures.push({ kind: 'enum', path, shape, value, text: mustBe });
    }
  };
}

function numberConstraints(shape: NumberShape): Constrain | undefined {
  const { min, max } = shape;
  if (min === undefined && max === undefined) return undefined;
  return (value, path, failures) => {
    const number = value as number;
    if (min !== undefined && number < min) {
      const text = `Member must have value greater than or equal to ${min}`;
      failures.push(sizeFailure(path, shape, value, text));
    }
    if (max !== undefined && number > max) {
      const text = `Member must have value less than or equal to ${max}`;
      failures.push(sizeFailure(path, shape, value, text));
    }
  };
}

function listConstraints(shape: ListShape): Constrain | undefined {
  const member = constraintsOf(shape.member);
  if (member === undefined && shape.min === undefined && shape.max === undefined) return undefined;
  return (value, path, failures) => {
    const elements = value as readonly unknown[];
    checkLength(shape, elements.length, shape, value, path, failures);
    if (member === undefined) return;
    for (let i = 0; i < elements.length && failures.length < failuresMax; i++) {
      member(elements[i], entryPath(path, String(i + 1)), failures);
    }
  };
}

/**
 * The lengths of a map's keys, and of its values where these are lists, are reported of the map as a whole, with
 * all of their constraints in one text (observed: public captures, `requestItems` of BatchWriteItem).
 */
function mapConstraints(shape: MapShape): Constrain | undefined {
  const keysMustBe = allConstraints(shape.keys);
  const valuesMustBe = shape.value.kind === 'list' ? allConstraints(shape.value) : undefined;
  const keyConstraints = constraintsOf(shape.keys);
  const valueConstraints = constraintsOf(unboundedList(shape.value));
  if (
    shape.min === undefined &&
    shape.max === undefined &&
    keysMustBe === undefined &&
    valuesMustBe === undefined &&
    valueConstraints === undefined
  ) {
    return undefined;
  }
  return (value, path, failures) => {
    const entries = value as Readonly<Record<string, unknown>>;
    const keys = Object.keys(entries);
    checkLength(shape, keys.length, shape, value, path, failures);
    if (keyConstraints !== undefined && keys.some((key) => breaks(keyConstraints, key, path))) {
      const text = `Map keys must satisfy constraint: [${keysMustBe}]`;
      failures.push({ kind: 'keys', path, shape, value, text });
    }
    if (valuesMustBe !== undefined && keys.some((key) => !fits(shape.value as ListShape, entries[key]))) {
      const text = `Map value must satisfy constraint: [${valuesMustBe}]`;
      failures.push({ kind: 'entries', path, shape, value, text });
    }
    if (valueConstraints === undefined) return;
    for (let i = 0; i < keys.length && failures.length < failuresMax; i++) {
      const key = keys[i] as string;
      valueConstraints(entries[key], entryPath(path, key), failures);
    }
  };
}

function structureConstraints(shape: StructureShape): Constrain | undefined {
  const members: { name: string; shape: Shape; required: boolean; constrain: Constrain | undefined }[] = [];
  for (const [name, member] of shape.members) {
    const constrain = constraintsOf(member.shape);
    if (member.required || constrain !== undefined) {
      members.push({ name, shape: member.shape, required: member.required, constrain });
    }
  }
  if (members.length === 0) return undefined;
  return (value, path, failures) => {
    const structure = value as Readonly<Record<string, unknown>>;
    for (const member of members) {
      if (failures.length >= failuresMax) return;
      const memberValue = structure[member.name];
      if (memberValue !== undefined) {
        member.constrain?.(memberValue, memberPath(path, member.name), failures);
      } else if (member.required) {
        failures.push({
          kind: 'absent',
          path: memberPath(path, member.name),
          shape: member.shape,
          value: null,
          text: 'Member must not be null',
        });
      }
    }
  };
}

/** The path of the input itself, which is not printed. */
export const inputPath: Path = { parent: undefined, step: '', isMember: false };

function memberPath(parent: Path, step: string): Path {
  return { parent, step, isMember: true };
}

/** The service's model wraps the entries of lists and maps in an element called `member`. */
function entryPath(parent: Path, step: string): Path {
  return { parent: { parent, step, isMember: false }, step: 'member', isMember: false };
}

function checkLength(
  { min, max }: Length,
  length: number,
  shape: Shape,
  value: unknown,
  path: Path,
  failures: Failure[],
): void {
  if (min !== undefined && length < min) failures.push(sizeFailure(path, shape, value, lengthAtLeast(min)));
  if (max !== undefined && length > max) failures.push(sizeFailure(path, shape, value, lengthAtMost(max)));
}

function sizeFailure(path: Path, shape: Shape, value: unknown, text: string): Failure {
  return { kind: 'size', path, shape, value, text };
}

function unboundedList(shape: Shape): Shape {
  return shape.kind === 'list' ? { kind: 'list', member: shape.member } : shape;
}

function breaks(constrain: Constrain, value: unknown, path: Path): boolean {
  const failures: Failure[] = [];
  constrain(value, path, failures);
  return failures.length > 0;
}

function fits({ min = 0, max = Infinity }: Length, value: unknown): boolean {
  const { length } = value as readonly unknown[];
  return length >= min && length <= max;
}

function allConstraints(shape: StringShape | ListShape): string | undefined {
  const texts: string[] = [];
  if (shape.max !== undefined) texts.push(lengthAtMost(shape.max));
  if (shape.min !== undefined) texts.push(lengthAtLeast(shape.min));
  if (shape.kind === 'string' && shape.pattern !== undefined) {
    texts.push(`Member must satisfy regular expression pattern: ${shape.pattern.text}`);
  }
  return texts.length === 0 ? undefined : texts.join(', ');
}
