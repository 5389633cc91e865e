import { nearest } from '../nearest.ts';

/** The part of JSON Schema (draft 2020-12) that our own schemas use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null';
  readonly const?: string | number | boolean;
  readonly enum?: readonly (string | number | boolean)[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly description?: string;
}

export interface SchemaDocument extends Omit<JsonSchema, '$ref'> {
  readonly $schema: string;
  readonly $id?: string;
  readonly title: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

type Path = readonly (string | number)[];

/** A place where a value breaks its schema: property names and positions from the top. */
export interface SchemaFault {
  readonly path: Path;
  /** Whether the name at the end of the path is at fault, and not its value. */
  readonly isName: boolean;
  readonly problem: string;
}

/** The faults of a value, in the order of its members. They are found as they are asked for. */
export function schemaFaults(schema: JsonSchema | SchemaDocument, value: unknown): Generator<SchemaFault> {
  const definitions = (schema as SchemaDocument).$defs ?? {};
  return new Judge(definitions).judge(schema as JsonSchema, value, []);
}

/** The place of a fault as a JSON Pointer. */
export function pointerOf({ path }: SchemaFault): string {
  if (path.length === 0) return '/';
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** So many elements are read where a schema has no bound of its own. */
const elementsMax = 100_000;

class Judge {
  readonly #definitions: Readonly<Record<string, JsonSchema>>;

  constructor(definitions: Readonly<Record<string, JsonSchema>>) {
    this.#definitions = definitions;
  }

  *judge(given: JsonSchema, value: unknown, path: Path): Generator<SchemaFault> {
    const schema = this.#resolved(given);
    const { anyOf, oneOf, type } = schema;
    const forms = anyOf ?? oneOf;
    if (forms !== undefined) yield* this.#judgeForms(forms, value, path);
    else if (schema.const !== undefined) {
      if (value !== schema.const)
        yield fault(path, `must be ${JSON.stringify(schema.const)}, not ${shown(value)}`);
    } else if (schema.enum !== undefined) yield* judgeWords(schema.enum, value, path);
    else if (type === 'null') {
      if (value !== null) yield fault(path, 'must be null');
    } else if (type === 'boolean') {
      if (typeof value !== 'boolean') yield fault(path, `must be true or false, not ${shown(value)}`);
    } else if (type === 'string') yield* judgeText(schema, value, path);
    else if (type === 'number' || type === 'integer') yield* judgeNumber(schema, value, path);
    else if (type === 'array') yield* this.#judgeList(schema, value, path);
    else if (type === 'object') yield* this.#judgeObject(schema, value, path);
  }

  #resolved(schema: JsonSchema): JsonSchema {
    return schema.$ref === undefined ? schema : this.#definitions[schema.$ref.replace('#/$defs/', '')]!;
  }

  *#judgeObject(schema: JsonSchema, value: unknown, path: Path): Generator<SchemaFault> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      yield fault(path, `must be an object, not ${shown(value)}`);
      return;
    }
    const { properties = {}, additionalProperties = true, required = [] } = schema;
    const members = value as Readonly<Record<string, unknown>>;
    for (const [name, one] of Object.entries(members)) {
      if (one === undefined) continue;
      const known = Object.hasOwn(properties, name) ? properties[name]! : additionalProperties;
      const at = [...path, name];
      if (known === false) {
        const names = Object.keys(properties);
        const meant = nearest(name, names);
        const advice =
          meant === undefined ? `; there are ${listed(names)}` : `; did you mean ${JSON.stringify(meant)}?`;
        yield { path: at, isName: true, problem: `is not known here${advice}` };
      } else if (known !== true) yield* this.judge(known, one, at);
    }
    for (const name of required)
      if (members[name] === undefined) yield fault(path, `needs ${JSON.stringify(name)}`);
  }

  *#judgeList(schema: JsonSchema, value: unknown, path: Path): Generator<SchemaFault> {
    const { items = {}, minItems = 0, maxItems = elementsMax } = schema;
    if (!Array.isArray(value)) yield fault(path, `must be a list, not ${shown(value)}`);
    else if (value.length < minItems) yield fault(path, `needs at least ${minItems} of its elements`);
    else if (value.length > maxItems)
      yield fault(path, `has ${value.length} elements; at most ${maxItems} may be`);
    else for (const [at, one] of value.entries()) yield* this.judge(items, one, [...path, at]);
  }

  /** Of several forms, the faults are those in the form that its `kind` names, or that the value comes nearest to. */
  *#judgeForms(forms: readonly JsonSchema[], value: unknown, path: Path): Generator<SchemaFault> {
    const kinds = forms.map((form) => this.#resolved(form).properties?.kind?.const);
    if (kinds.every((kind) => kind !== undefined)) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        yield fault(path, `must be an object, not ${shown(value)}`);
        return;
      }
      const { kind } = value as { readonly kind?: unknown };
      const meant = kinds.indexOf(kind as string);
      if (kind === undefined) yield fault(path, `needs a "kind": ${listed(kinds as string[])}`);
      else if (meant < 0) yield* judgeWords(kinds, kind, [...path, 'kind']);
      else yield* this.judge(forms[meant]!, value, path);
      return;
    }
    const firsts: SchemaFault[] = [];
    for (const form of forms) {
      const { value: first } = this.judge(form, value, path).next();
      if (first === undefined) return;
      firsts.push(first);
    }
    yield isObject(value) ? firsts.reduce((best, one) => (rank(one) > rank(best) ? one : best)) : firsts[0]!;
  }
}

function* judgeText(
  { minLength = 0, pattern }: JsonSchema,
  value: unknown,
  path: Path,
): Generator<SchemaFault> {
  if (typeof value !== 'string') yield fault(path, `must be a text, not ${shown(value)}`);
  else if (value.length < minLength)
    yield fault(path, value === '' ? 'must not be empty' : `must have at least ${minLength} characters`);
  else if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    yield fault(path, `must match ${pattern}`);
}

function* judgeNumber(schema: JsonSchema, value: unknown, path: Path): Generator<SchemaFault> {
  const { minimum, maximum, exclusiveMinimum } = schema;
  const isWhole = schema.type === 'integer';
  const what = isWhole ? 'a whole number' : 'a number';
  if (typeof value !== 'number' || !Number.isFinite(value) || (isWhole && !Number.isInteger(value)))
    yield fault(path, `must be ${what}, not ${shown(value)}`);
  else if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    yield fault(path, `must be ${what} above ${exclusiveMinimum}, not ${value}`);
  else if (minimum !== undefined && value < minimum)
    yield fault(path, `must be ${what} of ${minimum} or more, not ${value}`);
  else if (maximum !== undefined && value > maximum)
    yield fault(path, `must be ${what} of ${grouped(maximum)} or less, not ${value}`);
}

function* judgeWords(words: readonly unknown[], value: unknown, path: Path): Generator<SchemaFault> {
  if (words.includes(value)) return;
  const names = words.map(String);
  const meant = typeof value === 'string' ? nearest(value, names) : undefined;
  const advice = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
  yield fault(path, `must be one of ${listed(names)}, not ${shown(value)}${advice}`);
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
