import { DynamoError, serializationError } from '../model/errors.ts';
import { membersBefore, setOwn } from '../operations/shapes/own-members.ts';

/**
 * A request as the operations take it: JSON, with base64 for bytes and seconds for dates. Most requests hold
 * neither, so the tree is walked as it is and copied only from where something has to change. Members that are
 * `undefined` go, as they would on their way through JSON text.
 */
export function toWire(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > depthMax) return serializationError();
  if (Array.isArray(value)) return listToWire(value, depth);
  if (ArrayBuffer.isView(value)) return base64Of(value);
  if (value instanceof Date) return value.getTime() / 1000;
  const source = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined;
  for (const name in source) {
    const raw = source[name];
    if (typeof raw !== 'object' && raw !== undefined) {
      if (copy !== undefined) setOwn(copy, name, raw);
      continue;
    }
    const converted = toWire(raw, depth + 1);
    if (converted instanceof DynamoError) return converted;
    if (converted !== raw || raw === undefined) copy ??= membersBefore(source, name);
    if (copy !== undefined && converted !== undefined) setOwn(copy, name, converted);
  }
  return copy ?? value;
}

/** As deep as the JSON of a request may be nested; an object that contains itself ends here too. */
const depthMax = 1000;

function listToWire(list: readonly unknown[], depth: number): unknown {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const raw = list[i];
    if (typeof raw === 'object') {
      const converted = toWire(raw, depth + 1);
      if (converted instanceof DynamoError) return converted;
      if (converted !== raw) copy ??= list.slice(0, i);
      copy?.push(converted);
    } else {
      copy?.push(raw);
    }
  }
  return copy ?? list;
}

function base64Of(bytes: ArrayBufferView): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
