import { nearest } from '../model/nearest.ts';

/** What is wrong with a value, and where: property names and positions from the top. */
export interface SchemaFault {
  readonly path: readonly (string | number)[];
  /** Whether the name at the end of the path is at fault, and not its value. */
  readonly isName: boolean;
  readonly problem: string;
}

type Schema = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** Checks a value against the part of JSON Schema that our schemas use. Undefined if it fits; else the first fault. */
export function schemaFault(schema: object, value: unknown, path: Path = []): SchemaFault | undefined {
  const { anyOf, oneOf, type } = schema as Schema;
  if (anyOf !== undefined) return faultOfAny(anyOf as object[], value, path);
  if ('const' in schema) {
    if (value === schema.const) return undefined;
    return fault(path, `must be ${JSON.stringify(schema.const)}, not ${shown(value)}`);
  }
  if ('enum' in schema) return faultOfWords((schema as { enum: readonly string[] }).enum, value, path);
  if (type === 'null') return value === null ? undefined : fault(path, 'must be null');
  if (type === 'boolean')
    return typeof value === 'boolean' ? undefined : fault(path, `must be true or false, not ${shown(value)}`);
  if (type === 'string') return faultOfText(schema as Schema, value, path);
  if (type === 'number' || type === 'integer') return faultOfNumber(schema as Schema, value, path);
  if (type === 'array') return faultOfList(schema as Schema, value, path);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return fault(path, `must be an object, not ${shown(value)}`);
  if (oneOf !== undefined) {
    const { kinds } = schema as { readonly kinds: readonly string[] };
    const { kind } = value as { readonly kind?: unknown };
    if (kind === undefined) return fault(path, `needs a "kind": ${listed(kinds)}`);
    const wrong = faultOfWords(kinds, kind, [...path, 'kind']);
    return wrong ?? schemaFault((oneOf as object[])[kinds.indexOf(kind as string)]!, value, path);
  }
  return faultOfObject(schema as Schema, value as Readonly<Record<string, unknown>>, path);
}

function faultOfObject(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  path: Path,
): SchemaFault | undefined {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, object>>;
  const { additionalProperties } = schema;
  for (const [name, one] of Object.entries(value)) {
    if (one === undefined) continue;
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (known === false || known === undefined) {
      const names = Object.keys(properties);
      const meant = nearest(name, names);
      const advice =
        meant === undefined ? `; there are ${listed(names)}` : `; did you mean ${JSON.stringify(meant)}?`;
      return { path: [...path, name], isName: true, problem: `is not known here${advice}` };
    }
    const wrong = schemaFault(known as object, one, [...path, name]);
    if (wrong !== undefined) return wrong;
  }
  for (const name of (schema.required ?? []) as readonly string[])
    if (value[name] === undefined) return fault(path, `needs ${JSON.stringify(name)}`);
  return undefined;
}

function faultOfList(schema: Schema, value: unknown, path: Path): SchemaFault | undefined {
  if (!Array.isArray(value)) return fault(path, `must be a list, not ${shown(value)}`);
  const {
    items,
    minItems = 0,
    maxItems = 100_000,
  } = schema as { items: object; minItems?: number; maxItems?: number };
  if (value.length < minItems) return fault(path, `needs at least ${minItems} of its elements`);
  if (value.length > maxItems) return fault(path, `has ${value.length} elements; at most ${maxItems} may be`);
  for (let at = 0; at < value.length; at++) {
    const wrong = schemaFault(items, value[at], [...path, at]);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function faultOfText({ minLength = 0 }: Schema, value: unknown, path: Path): SchemaFault | undefined {
  if (typeof value !== 'string') return fault(path, `must be a text, not ${shown(value)}`);
  if (value.length >= (minLength as number)) return undefined;
  return fault(path, value === '' ? 'must not be empty' : `must have at least ${minLength} characters`);
}

function faultOfNumber(schema: Schema, value: unknown, path: Path): SchemaFault | undefined {
  const { minimum, maximum, exclusiveMinimum } = schema as Readonly<Record<string, number | undefined>>;
  const isWhole = schema.type === 'integer';
  const what = isWhole ? 'a whole number' : 'a number';
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  if (!isNumber || (isWhole && !Number.isInteger(value)))
    return fault(path, `must be ${what}, not ${shown(value)}`);
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return fault(path, `must be ${what} above ${exclusiveMinimum}, not ${value}`);
  if (minimum !== undefined && value < minimum)
    return fault(path, `must be ${what} of ${minimum} or more, not ${value}`);
  if (maximum !== undefined && value > maximum)
    return fault(path, `must be ${what} of ${grouped(maximum)} or less, not ${value}`);
  return undefined;
}

function faultOfWords(words: readonly string[], value: unknown, path: Path): SchemaFault | undefined {
  if (words.includes(value as string)) return undefined;
  const meant = typeof value === 'string' ? nearest(value, [...words]) : undefined;
  const advice = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
  return fault(path, `must be one of ${listed(words)}, not ${shown(value)}${advice}`);
}

/** The fault in the form that the value comes nearest to: the one that gets furthest into it. */
function faultOfAny(forms: readonly object[], value: unknown, path: Path): SchemaFault | undefined {
  let best: SchemaFault | undefined;
  for (const form of forms) {
    const wrong = schemaFault(form, value, path);
    if (wrong === undefined) return undefined;
    if (best === undefined || (isObject(value) && rank(wrong) > rank(best))) best = wrong;
  }
  return best;
}

function rank({ path, isName }: SchemaFault): number {
  return path.length * 2 - (isName ? 1 : 0);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function fault(path: Path, problem: string): SchemaFault {
  return { path, isName: false, problem };
}

function listed(words: readonly string[]): string {
  return words.join(', ');
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
