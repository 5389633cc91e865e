/** The part of JSON Schema (draft 2020-12) that the model's schema uses. */
export type JsonSchema = {
  readonly $ref?: string;
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean';
  readonly const?: string | number | boolean;
  readonly enum?: readonly (string | number | boolean)[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly description?: string;
};

export interface SchemaDocument extends Omit<JsonSchema, '$ref'> {
  readonly $schema: string;
  readonly $id: string;
  readonly title: string;
  readonly $defs: Readonly<Record<string, JsonSchema>>;
}

export interface SchemaTrouble {
  /** A JSON Pointer. */
  readonly place: string;
  readonly message: string;
}

/** Every place where a value is not what the schema says. Of alternatives, the one that its `kind` names is judged. */
export function schemaTroubles(document: SchemaDocument, value: unknown): SchemaTrouble[] {
  return judge(document, document as JsonSchema, value, '');
}

function judge(document: SchemaDocument, schema: JsonSchema, value: unknown, place: string): SchemaTrouble[] {
  const wrong = (message: string): SchemaTrouble[] => [{ place: place === '' ? '/' : place, message }];
  if (schema.$ref !== undefined)
    return judge(document, document.$defs[schema.$ref.replace('#/$defs/', '')]!, value, place);
  if (schema.oneOf !== undefined) return judgeAlternatives(document, schema.oneOf, value, place);
  if (schema.const !== undefined && value !== schema.const)
    return wrong(`must be ${JSON.stringify(schema.const)}`);
  if (schema.enum !== undefined && !schema.enum.includes(value as string)) {
    return wrong(`must be one of ${schema.enum.map((one) => JSON.stringify(one)).join(', ')}`);
  }
  if (schema.type === undefined) return [];
  switch (schema.type) {
    case 'object':
      return judgeObject(document, schema, value, place);
    case 'array': {
      if (!Array.isArray(value)) return wrong('must be an array');
      if (value.length < (schema.minItems ?? 0))
        return wrong(`must have at least ${schema.minItems} elements`);
      return value.flatMap((one, at) => judge(document, schema.items ?? {}, one, `${place}/${at}`));
    }
    case 'string':
      if (typeof value !== 'string') return wrong('must be a string');
      if (value.length < (schema.minLength ?? 0)) return wrong('must not be empty');
      return schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)
        ? wrong(`must match ${schema.pattern}`)
        : [];
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrong('must be true or false');
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value)) return wrong('must be a number');
      if (schema.type === 'integer' && !Number.isInteger(value)) return wrong('must be a whole number');
      if (schema.minimum !== undefined && value < schema.minimum)
        return wrong(`must be at least ${schema.minimum}`);
      if (schema.maximum !== undefined && value > schema.maximum)
        return wrong(`must be at most ${schema.maximum}`);
      return schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum
        ? wrong(`must be more than ${schema.exclusiveMinimum}`)
        : [];
  }
}

function judgeObject(
  document: SchemaDocument,
  schema: JsonSchema,
  value: unknown,
  place: string,
): SchemaTrouble[] {
  const wrong = (message: string): SchemaTrouble[] => [{ place: place === '' ? '/' : place, message }];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return wrong('must be an object');
  const members = new Map(Object.entries(value));
  const missing = (schema.required ?? []).filter((name) => !members.has(name));
  const troubles = missing.flatMap((name) => wrong(`lacks "${name}"`));
  for (const [name, member] of members) {
    const own = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties![name] : undefined;
    const at = `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (own !== undefined) troubles.push(...judge(document, own, member, at));
    else if (typeof schema.additionalProperties === 'object') {
      troubles.push(...judge(document, schema.additionalProperties, member, at));
    } else if (schema.additionalProperties === false)
      troubles.push({ place: at, message: 'is no member that a model knows' });
  }
  return troubles;
}

function judgeAlternatives(
  document: SchemaDocument,
  alternatives: readonly JsonSchema[],
  value: unknown,
  place: string,
): SchemaTrouble[] {
  const all = alternatives.map((one) => judge(document, one, value, place));
  const fitting = all.find((troubles) => troubles.length === 0);
  if (fitting !== undefined) return [];
  const kind = (value as { kind?: unknown } | null)?.kind;
  const kindOf = (one: JsonSchema): unknown => {
    const target = one.$ref === undefined ? one : document.$defs[one.$ref.replace('#/$defs/', '')]!;
    return target.properties?.kind?.const;
  };
  const meant = alternatives.findIndex((one) => kind !== undefined && kindOf(one) === kind);
  if (meant >= 0) return all[meant]!;
  const kinds = alternatives.map(kindOf).filter((one) => one !== undefined);
  if (kinds.length === alternatives.length && typeof value === 'object') {
    return [
      {
        place: `${place}/kind`,
        message: `must be one of ${kinds.map((one) => JSON.stringify(one)).join(', ')}`,
      },
    ];
  }
  // Alternatives without kinds: a number or a word, one of two objects. Each says what it would take.
  const wanted = [...new Set(all.flatMap((troubles) => troubles.slice(0, 1).map(({ message }) => message)))];
  return [{ place: place === '' ? '/' : place, message: wanted.join(', or ') }];
}
