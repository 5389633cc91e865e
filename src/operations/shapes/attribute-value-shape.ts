import { DynamoError } from '../../model/errors.ts';
import { membersBefore, setOwn } from '../../model/json/own-members.ts';
import { itemLimits } from '../../model/limits.ts';
import { readBlob, readBoolean, readString } from './read-scalar.ts';
import { attributeValue, map } from './shape.ts';
import { notAList, notAMap, notAStructure, type Place } from './type-mismatch.ts';

/**
 * The JSON types inside an AttributeValue, by hand: it is in every request, it is the one recursive shape, and most
 * often there is nothing to change, so the tree is walked in place and copied only from where something is dropped
 * or converted. What the values mean (one datatype each, sets without duplicates, numbers, nesting of 32) is for
 * later.
 */

/**
 * Legal values nest 32 deep. The service takes far deeper JSON and refuses it for its nesting afterwards, where it
 * finds nothing else first; a body of 16 MB can nest a million deep, which no call stack holds. What lies below these
 * levels is therefore not read but replaced by `cutOff`. That much is enough to refuse the value for its nesting, and
 * to know that the older layer answers: at 40 wraps around a leaf all operations answer as at 32, at 63 and 100 those
 * of the newer layer change over (observed: public captures, two Regions, October 2026).
 */
const depthMax = itemLimits.newerLayerLevelsMax;

/** Stands where something was too deep to be read. */
const cutOff: object = Object.freeze({ NULL: true });

/** Whether a part of an input that was read stands so deep that the older layer answers for the whole of it. */
export function isCutOff(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false;
  if (input === cutOff) return true;
  return Array.isArray(input) ? input.some(isCutOff) : Object.values(input).some(isCutOff);
}

const attributeMap = map(attributeValue);

export function readAttributeValue(value: unknown, place: Place, depth = 1): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return notAStructure(attributeValue, value, place);
  }
  if (depth > depthMax) return cutOff;
  const source = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined;
  for (const type in source) {
    const raw = source[type];
    const read = raw == null ? undefined : readDatatype(type, raw, depth);
    if (read !== raw || read === undefined) {
      if (read instanceof DynamoError) return read;
      copy ??= membersBefore(source, type);
    }
    if (copy !== undefined && read !== undefined) copy[type] = read;
  }
  return copy ?? value;
}

/** A map of AttributeValues: an item, a key, the values of expressions, an `M`. */
export function readAttributeMap(value: unknown, place: Place, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return notAMap(attributeMap, value, place);
  }
  const source = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined;
  for (const name in source) {
    const raw = source[name];
    const read = raw == null ? ofNothing(raw) : readAttributeValue(raw, 'element', depth + 1);
    if (read !== raw || read === undefined) {
      if (read instanceof DynamoError) return read;
      copy ??= membersBefore(source, name);
    }
    if (copy !== undefined && read !== undefined) setOwn(copy, name, read);
  }
  return copy ?? value;
}

/** What is `undefined` in a program would not be in its JSON; an attribute that is null is a value without a type. */
function ofNothing(raw: null | undefined): object | undefined {
  return raw === undefined ? undefined : {};
}

/** Unknown datatypes are dropped like unknown members anywhere; `undefined` says so. */
function readDatatype(type: string, raw: unknown, depth: number): unknown {
  switch (type) {
    case 'S':
    case 'N':
      return readString(raw);
    case 'B':
      return readBlob(raw);
    case 'BOOL':
    case 'NULL':
      return readBoolean(raw);
    case 'SS':
    case 'NS':
      return readSet(raw, readString);
    case 'BS':
      return readSet(raw, readBlob);
    case 'L':
      return readList(raw, depth);
    case 'M':
      return readAttributeMap(raw, 'member', depth);
    default:
      return undefined;
  }
}

function readSet(raw: unknown, readElement: (value: unknown) => unknown): unknown {
  if (!Array.isArray(raw)) return notAList(raw, 'member');
  let copy: unknown[] | undefined;
  for (let i = 0; i < raw.length; i++) {
    const element: unknown = raw[i];
    const read = element == null ? undefined : readElement(element);
    if (read !== element || read === undefined) {
      if (read instanceof DynamoError) return read;
      copy ??= raw.slice(0, i);
    }
    if (read !== undefined) copy?.push(read);
  }
  return copy ?? raw;
}

function readList(raw: unknown, depth: number): unknown {
  if (!Array.isArray(raw)) return notAList(raw, 'member');
  let copy: unknown[] | undefined;
  for (let i = 0; i < raw.length; i++) {
    const element: unknown = raw[i];
    const read = element == null ? {} : readAttributeValue(element, 'element', depth + 1);
    if (read !== element) {
      if (read instanceof DynamoError) return read;
      copy ??= raw.slice(0, i);
    }
    copy?.push(read);
  }
  return copy ?? raw;
}
