import { type DynamoError, serializationError, validationError } from '../../model/errors.ts';
import { setOwn } from '../../model/json/own-members.ts';
import type { ValidationLayer } from './operation-layers.ts';
import { renderValue } from './render-value.ts';
import type { Shape, StructureShape } from './shape.ts';

/**
 * The check of an input as one would write it down first: it copies everything, walks the shape at every request and
 * knows nothing of compiled readers. Only how values are printed is not written twice; there are cases for that.
 */
export function naiveCheck(layer: ValidationLayer, shape: StructureShape, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return serializationError();
  try {
    const input = read(shape, body, true) as Record<string, unknown>;
    for (const [name, member] of shape.members) {
      if (member.ifAbsent && input[name] === undefined) return validationError(member.ifAbsent);
      const empty = typeof input[name] === 'object' && Object.keys(input[name] as object).length === 0;
      if (member.ifEmpty && empty) return validationError(member.ifEmpty);
    }
    const broken = constraints(shape, input, []).slice(0, 10);
    return broken.length === 0 ? input : refusal(layer, broken);
  } catch (error) {
    if (error instanceof Mismatch) return serializationError(error.message);
    throw error;
  }
}

class Mismatch extends Error {}

const pack = 'com.amazonaws.dynamodb.v20120810.';

function java(shape: Shape): string {
  if (shape.kind === 'list') return `java.util.List<${java(shape.member)}>`;
  if (shape.kind === 'map') return `java.util.Map<java.lang.String, ${java(shape.value)}>`;
  if (shape.kind === 'structure') return pack + shape.name;
  if (shape.kind === 'attribute-value') return `${pack}AttributeValue`;
  return 'java.lang.String';
}

const datatypes: Record<string, Shape> = {
  S: { kind: 'string' },
  N: { kind: 'string' },
  B: { kind: 'blob' },
  BOOL: { kind: 'boolean' },
  NULL: { kind: 'boolean' },
  SS: { kind: 'list', member: { kind: 'string' } },
  NS: { kind: 'list', member: { kind: 'string' } },
  BS: { kind: 'list', member: { kind: 'blob' } },
  L: { kind: 'list', member: { kind: 'attribute-value' } },
  M: { kind: 'map', keys: { kind: 'string' }, value: { kind: 'attribute-value' } },
};

function read(shape: Shape, value: unknown, isMember: boolean): unknown {
  const isObject = typeof value === 'object' && !Array.isArray(value);
  switch (shape.kind) {
    case 'list':
      if (Array.isArray(value)) {
        return value.map((e) => orEmpty(shape.member, e, false)).filter((e) => e !== undefined);
      }
      if (isObject) throw new Mismatch('Start of structure or map found where not expected');
      throw new Mismatch(isMember ? 'Unexpected field type' : cast);
    case 'map': {
      if (!isObject) {
        if (Array.isArray(value)) throw new Mismatch(`Unrecognized collection type ${java(shape)}`);
        throw new Mismatch(isMember ? 'Unexpected field type' : cast);
      }
      const result: Record<string, unknown> = {};
      for (const [key, entry] of Object.entries(value as object)) {
        const kept = orEmpty(shape.value, entry, false);
        if (kept !== undefined) setOwn(result, key, kept);
      }
      return result;
    }
    case 'structure':
    case 'attribute-value': {
      if (!isObject) {
        if (Array.isArray(value)) throw new Mismatch(`Unrecognized collection type class ${java(shape)}`);
        throw new Mismatch(isMember ? 'Unexpected field type' : 'Unexpected value type in payload');
      }
      const result: Record<string, unknown> = {};
      for (const [key, entry] of Object.entries(value as object)) {
        const member = shape.kind === 'structure' ? shape.members.get(key)?.shape : datatypeOf(key);
        if (member !== undefined && entry !== null) result[key] = read(member, entry, true);
      }
      return result;
    }
    default:
      return scalar(shape, value);
  }
}

const cast =
  "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')";

function datatypeOf(key: string): Shape | undefined {
  return Object.hasOwn(datatypes, key) ? datatypes[key] : undefined;
}

function orEmpty(shape: Shape, value: unknown, isMember: boolean): unknown {
  if (value !== null) return read(shape, value, isMember);
  if (shape.kind === 'list') return [];
  return ['map', 'structure', 'attribute-value'].includes(shape.kind) ? {} : undefined;
}

function scalar(shape: Shape, value: unknown): unknown {
  const names = { string: 'String', boolean: 'Boolean', number: shape.kind === 'number' ? shape.java : '' };
  const name = names[shape.kind as keyof typeof names];
  const className = shape.kind === 'blob' ? 'java.nio.ByteBuffer' : `java.lang.${name}`;
  if (Array.isArray(value)) throw new Mismatch(`Unrecognized collection type class ${className}`);
  if (typeof value === 'object') throw new Mismatch('Start of structure or map found where not expected');
  if (shape.kind === 'blob') return base64(value);
  if (shape.kind === 'boolean' && typeof value === 'string') {
    const spelled = { true: true, 1: true, yes: true, false: false, 0: false, no: false }[
      value.toLowerCase()
    ];
    if (spelled === undefined) throw new Mismatch('Unexpected token received from parser');
    return spelled;
  }
  if (shape.kind === 'number' && typeof value === 'number') return Math.trunc(value);
  if (typeof value === shape.kind) return value;
  const token =
    typeof value === 'number'
      ? Number.isInteger(value)
        ? 'NUMBER_VALUE'
        : 'DECIMAL_VALUE'
      : `${typeof value === 'boolean' ? String(value).toUpperCase() : 'STRING'}_VALUE`;
  throw new Mismatch(`${token} cannot be converted to ${name}`);
}

function base64(value: unknown): unknown {
  if (typeof value !== 'string') throw new Mismatch('only base-64-encoded strings are convertible to bytes');
  if (value.length % 4 !== 0) {
    throw new Mismatch(`Base64 encoded length is expected a multiple of 4 bytes but found: ${value.length}`);
  }
  if (Buffer.from(value, 'base64').toString('base64') !== value) {
    throw new Mismatch('Invalid last non-pad Base64 character dectected');
  }
  return value;
}

interface Broken {
  readonly path: readonly [string, 'member' | 'entry'][];
  readonly absent?: boolean;
  readonly size?: boolean;
  readonly enumText?: string | undefined;
  readonly overlongName?: boolean;
  readonly shape: Shape;
  readonly value: unknown;
  readonly text: string;
}

function constraints(shape: Shape, value: unknown, path: Broken['path']): Broken[] {
  const broken: Broken[] = [];
  const size = (text: string) => broken.push({ path, size: true, shape, value, text });
  if (shape.kind === 'string') {
    const text = value as string;
    if (shape.orArn && text.startsWith('arn:')) return [];
    if (shape.pattern && !shape.pattern.matches.test(text)) {
      broken.push({
        path,
        shape,
        value,
        text: `Member must satisfy regular expression pattern: ${shape.pattern.text}`,
      });
    }
    if (text.length < (shape.min ?? 0)) size(`Member must have length greater than or equal to ${shape.min}`);
    if (text.length > (shape.max ?? Infinity)) {
      const message = `Member must have length less than or equal to ${shape.max}`;
      broken.push({ path, size: true, overlongName: shape.orArn === true, shape, value, text: message });
    }
    if (shape.orArn && text !== '') {
      for (const [i, failure] of broken.entries()) broken[i] = { ...failure, overlongName: true };
    }
    if (shape.values && !shape.values.includes(text)) {
      const message = `Member must satisfy enum value set: [${shape.values.join(', ')}]`;
      broken.push({ path, shape, value, text: message, enumText: shape.newerValues });
    }
  } else if (shape.kind === 'number') {
    if ((value as number) < (shape.min ?? -Infinity)) {
      size(`Member must have value greater than or equal to ${shape.min}`);
    }
    if ((value as number) > (shape.max ?? Infinity)) {
      size(`Member must have value less than or equal to ${shape.max}`);
    }
  } else if (shape.kind === 'list' || shape.kind === 'map') {
    const entries = Object.entries(value as object);
    if (entries.length < (shape.min ?? 0))
      size(`Member must have length greater than or equal to ${shape.min}`);
    if (entries.length > (shape.max ?? Infinity))
      size(`Member must have length less than or equal to ${shape.max}`);
    if (shape.kind === 'map') {
      const all = (s: { min?: number; max?: number; pattern?: { text: string } }) =>
        [
          s.max !== undefined && `Member must have length less than or equal to ${s.max}`,
          s.min !== undefined && `Member must have length greater than or equal to ${s.min}`,
          s.pattern && `Member must satisfy regular expression pattern: ${s.pattern.text}`,
        ]
          .filter(Boolean)
          .join(', ');
      if (entries.some(([key]) => constraints(shape.keys, key, []).length > 0)) {
        broken.push({ path, shape, value, text: `Map keys must satisfy constraint: [${all(shape.keys)}]` });
      }
      const listed = shape.value;
      if (
        listed.kind === 'list' &&
        entries.some(([, list]) => list.length < (listed.min ?? 0) || list.length > (listed.max ?? Infinity))
      ) {
        const { min, max } = listed;
        const bounds = { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
        broken.push({ path, shape, value, text: `Map value must satisfy constraint: [${all(bounds)}]` });
      }
    }
    for (const [key, entry] of entries) {
      const step = shape.kind === 'list' ? String(Number(key) + 1) : key;
      const inner: Broken['path'] = [...path, [step, 'entry'], ['member', 'entry']];
      const of = shape.kind === 'list' ? shape.member : shape.value;
      const unbounded: Shape =
        shape.kind === 'map' && of.kind === 'list' ? { kind: 'list', member: of.member } : of;
      broken.push(...constraints(unbounded, entry, inner));
    }
  } else if (shape.kind === 'structure') {
    for (const [name, member] of shape.members) {
      const inner: Broken['path'] = [...path, [name, 'member']];
      const entry = (value as Record<string, unknown>)[name];
      if (entry !== undefined) broken.push(...constraints(member.shape, entry, inner));
      else if (member.required) {
        broken.push({
          path: inner,
          absent: true,
          shape: member.shape,
          value: null,
          text: 'Member must not be null',
        });
      }
    }
  }
  return broken;
}

function refusal(layer: ValidationLayer, broken: readonly Broken[]): DynamoError {
  const lower = (text: string) => text.slice(0, 1).toLowerCase() + text.slice(1);
  const at = (path: Broken['path'], change: (text: string) => string) =>
    path.map(([step, kind]) => (kind === 'member' ? change(step) : step)).join('.');
  const older = (b: Broken) =>
    `Value ${b.value === null ? 'null' : `'${renderValue(b.shape, b.value)}'`} at '${at(b.path, lower)}' failed to satisfy constraint: ${b.text}`;
  const message = (texts: string[]) =>
    validationError(
      `${texts.length} validation error${texts.length > 1 ? 's' : ''} detected: ${texts.join('; ')}`,
    );
  const isOfKeys = (b: Broken) => b.text.startsWith('Map keys');
  if (layer === 'older') {
    const withEnum = broken.some((b) => b.text.startsWith('Member must satisfy enum'));
    return message(broken.filter((b) => !(withEnum && isOfKeys(b))).map(older));
  }
  if (broken.some((b) => b.absent)) return message(broken.map(older));
  const size = broken.find((b) => b.size && !b.overlongName);
  if (size) {
    return message([
      `Value at '${at(size.path, (step) => step)}' failed to satisfy constraint: ${size.text}`,
    ]);
  }
  return message(
    broken.map((b) =>
      isOfKeys(b)
        ? `Value '${JSON.stringify(b.value)}' at '${at(b.path, lower)}' failed to satisfy constraint: ${b.text}`
        : b.enumText === undefined
          ? older(b)
          : `Failed to satisfy constraint: Member must satisfy enum value set: [${b.enumText}]`,
    ),
  );
}
