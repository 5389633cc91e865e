import { DynamoError } from '../../model/errors.ts';
import { membersBefore, setOwn } from '../../model/json/own-members.ts';
import { readAttributeMap, readAttributeValue } from './attribute-value-shape.ts';
import { numberReader, readBlob, readBoolean, readString, readTimestamp } from './read-scalar.ts';
import type { ListShape, MapShape, Shape, StructureShape } from './shape.ts';
import { notAList, notAMap, notAStructure, type Place } from './type-mismatch.ts';

/**
 * The first half of the shape stage: are the JSON types what the shape says? The result is the input as the service
 * sees it: members that the shape does not know are gone, `null` counts as absent, booleans and numbers are converted.
 *
 * A reader returns the value itself when nothing had to change (the usual case, and then nothing is copied), another
 * value, or the first mismatch in the order of the document. It never changes what it was given.
 *
 * `null` inside a list or map is read as what it would be absent from: an empty value where a container stands (so that
 * a null AttributeValue is refused as an empty one), and nothing where a scalar stands (guess).
 */
export type Read = (value: unknown) => unknown;

export function typeReader(shape: Shape, place: Place = 'member'): Read {
  switch (shape.kind) {
    case 'string':
      return readString;
    case 'number':
      return numberReader(shape.java);
    case 'boolean':
      return readBoolean;
    case 'blob':
      return readBlob;
    case 'timestamp':
      return readTimestamp;
    case 'attribute-value':
      return (value) => readAttributeValue(value, place);
    case 'list':
      return listReader(shape, place);
    case 'map':
      return shape.value.kind === 'attribute-value'
        ? (value) => readAttributeMap(value, place)
        : mapReader(shape, place);
    case 'structure':
      return structureReader(shape, place);
  }
}

function structureReader(shape: StructureShape, place: Place): Read {
  const readers = new Map<string, Read>();
  for (const [name, member] of shape.members) readers.set(name, typeReader(member.shape));

  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return notAStructure(shape, value, place);
    }
    const source = value as Readonly<Record<string, unknown>>;
    let copy: Record<string, unknown> | undefined;
    for (const name in source) {
      const reader = readers.get(name);
      const raw = source[name];
      const read = reader === undefined || raw == null ? undefined : reader(raw);
      if (read !== raw || read === undefined) {
        if (read instanceof DynamoError) return read;
        copy ??= membersBefore(source, name);
      }
      if (copy !== undefined && read !== undefined) copy[name] = read;
    }
    return copy ?? value;
  };
}

function mapReader(shape: MapShape, place: Place): Read {
  const reader = typeReader(shape.value, 'element');
  const ofNull = emptyValue(shape.value);

  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return notAMap(shape, value, place);
    }
    const source = value as Readonly<Record<string, unknown>>;
    let copy: Record<string, unknown> | undefined;
    for (const name in source) {
      const raw = source[name];
      const read = raw === null ? ofNull() : raw === undefined ? undefined : reader(raw);
      if (read !== raw || read === undefined) {
        if (read instanceof DynamoError) return read;
        copy ??= membersBefore(source, name);
      }
      if (copy !== undefined && read !== undefined) setOwn(copy, name, read);
    }
    return copy ?? value;
  };
}

function listReader(shape: ListShape, place: Place): Read {
  const reader = typeReader(shape.member, 'element');
  const ofNull = emptyValue(shape.member);

  return (value) => {
    if (!Array.isArray(value)) return notAList(value, place);
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const raw: unknown = value[i];
      const read = raw == null ? ofNull() : reader(raw);
      if (read !== raw) {
        if (read instanceof DynamoError) return read;
        copy ??= value.slice(0, i);
      }
      if (copy !== undefined && read !== undefined) copy.push(read);
    }
    return copy ?? value;
  };
}

function emptyValue(shape: Shape): () => unknown {
  switch (shape.kind) {
    case 'list':
      return () => [];
    case 'map':
    case 'structure':
    case 'attribute-value':
      return () => ({});
    default:
      return () => undefined;
  }
}
