/**
 * Describes a value that was read from JSON. `fault` returns what is wrong with a value, beginning with the path of the
 * wrong part, such as `.source.cut.era is no whole number`; undefined for a value of type T.
 */
export interface Field<T> {
  fault(value: unknown): string | undefined;
  /** The type of the value, for the compiler only. */
  readonly type?: T;
}

/** A member that may be absent. */
export interface OptionalField<T> extends Field<T | undefined> {
  readonly isOptional: true;
}

/** A field for each member of T. A missing one does not compile, nor does a required field for an optional member. */
export type Fields<T> = {
  readonly [Name in keyof T]-?: Partial<Pick<T, Name>> extends Pick<T, Name>
    ? OptionalField<Exclude<T[Name], undefined>>
    : Field<T[Name]>;
};

export function isA<T>(field: Field<T>, value: unknown): value is T {
  return field.fault(value) === undefined;
}

export const text: Field<string> = leaf('text', (value) => typeof value === 'string');
export const flag: Field<boolean> = leaf('true or false', (value) => typeof value === 'boolean');
export const number: Field<number> = leaf('number', (value) => typeof value === 'number');
export const whole: Field<number> = leaf('whole number', Number.isSafeInteger);
export const nothing: Field<null> = leaf('null', (value) => value === null);
/** Any JSON. */
export const json: Field<unknown> = { fault: () => undefined };

export function oneOf<const T extends string | number | boolean>(...values: readonly T[]): Field<T> {
  const known: ReadonlySet<unknown> = new Set(values);
  return { fault: (value) => (known.has(value) ? undefined : ` is none of ${values.join(', ')}`) };
}

export function optional<T>(field: Field<T>): OptionalField<T> {
  return { isOptional: true, fault: (value) => (value === undefined ? undefined : field.fault(value)) };
}

export function listOf<T>(field: Field<T>): Field<readonly T[]> {
  return {
    fault(value) {
      if (!Array.isArray(value)) return ' is no list';
      for (let i = 0; i < value.length; i++) {
        const fault = field.fault(value[i]);
        if (fault !== undefined) return `[${i}]${fault}`;
      }
      return undefined;
    },
  };
}

/** A list with a field for each of its places. */
export function tuple<T extends readonly unknown[]>(
  ...fields: { readonly [I in keyof T]: Field<T[I]> }
): Field<T> {
  return {
    fault(value) {
      if (!Array.isArray(value) || value.length !== fields.length) return ` is no list of ${fields.length}`;
      for (let i = 0; i < fields.length; i++) {
        const fault = fields[i]!.fault(value[i]);
        if (fault !== undefined) return `[${i}]${fault}`;
      }
      return undefined;
    },
  };
}

/** An object whose member names are data. */
export function mapOf<T>(field: Field<T>): Field<Readonly<Record<string, T>>> {
  return {
    fault(value) {
      if (!isObject(value)) return ' is no object';
      for (const [name, member] of Object.entries(value)) {
        const fault = field.fault(member);
        if (fault !== undefined) return `[${JSON.stringify(name)}]${fault}`;
      }
      return undefined;
    },
  };
}

/** An object with these members. It may have others, which a later version has added. */
export function object<T>(fields: Fields<T>): Field<T> {
  const members = Object.entries<Field<unknown>>(fields);
  return {
    fault(value) {
      if (!isObject(value)) return ' is no object';
      for (const [name, field] of members) {
        const fault = field.fault(Object.hasOwn(value, name) ? value[name] : undefined);
        if (fault !== undefined) return `.${name}${fault}`;
      }
      return undefined;
    },
  };
}

/** An object whose member `tag` says which of several kinds it is. */
export function variants<T extends { readonly [N in Tag]: string }, Tag extends string>(
  tag: Tag,
  kinds: { readonly [Kind in T[Tag]]: Field<Extract<T, { readonly [N in Tag]: Kind }>> },
): Field<T> {
  const fields = new Map<unknown, Field<unknown>>(Object.entries(kinds));
  return {
    fault(value) {
      if (!isObject(value)) return ' is no object';
      const field = fields.get(value[tag]);
      return field === undefined ? `.${tag} is none of ${[...fields.keys()].join(', ')}` : field.fault(value);
    },
  };
}

/** A value that one of two fields describes. */
export function either<A, B>(first: Field<A>, second: Field<B>): Field<A | B> {
  return {
    fault(value) {
      const fault = first.fault(value);
      return fault === undefined || second.fault(value) === undefined ? undefined : fault;
    },
  };
}

function leaf<T>(noun: string, holds: (value: unknown) => boolean): Field<T> {
  return { fault: (value) => (holds(value) ? undefined : ` is no ${noun}`) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
