import type { Shape, StructureShape } from '../../operations/shapes/shape.ts';
import { CborWriter } from './cbor-writer.ts';

/** An answer as the CBOR of its shape. Members that the shape does not name are left out. */
export function cborAnswer(shape: StructureShape, answer: object): Uint8Array {
  const writer = new CborWriter();
  writeStructure(writer, shape, answer);
  return writer.bytes;
}

export function cborError(type: string, messageMember: string, message: string): Uint8Array {
  const writer = new CborWriter();
  writer.map(2);
  writer.text('__type');
  writer.text(type);
  writer.text(messageMember);
  writer.text(message);
  return writer.bytes;
}

function writeStructure(writer: CborWriter, shape: StructureShape, value: object): void {
  const given = value as Readonly<Record<string, unknown>>;
  const names = [...shape.members].filter(([name]) => given[name] !== undefined && given[name] !== null);
  writer.map(names.length);
  for (const [name, member] of names) {
    writer.text(name);
    writeValue(writer, member.shape, given[name]);
  }
}

function writeValue(writer: CborWriter, shape: Shape, value: unknown): void {
  switch (shape.kind) {
    case 'structure':
      writeStructure(writer, shape, value as object);
      return;
    case 'list':
      writer.list((value as readonly unknown[]).length);
      for (const element of value as readonly unknown[]) writeValue(writer, shape.member, element);
      return;
    case 'map': {
      const entries = Object.entries(value as object);
      writer.map(entries.length);
      for (const [key, entry] of entries) {
        writer.text(key);
        writeValue(writer, shape.value, entry);
      }
      return;
    }
    case 'number':
      if (shape.java === 'Double') writer.float(value as number);
      else writer.integer(value as number);
      return;
    case 'timestamp':
      writer.timestamp(value as number);
      return;
    case 'boolean':
      writer.boolean(value as boolean);
      return;
    default:
      writer.text(String(value));
  }
}
