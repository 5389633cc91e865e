import type { Piece } from '../ir.ts';

/**
 * Key templates by hand: `` (o) => [`CUST#${o.customerId}`, `ORDER#${o.placedAt}`] ``. The function is called once with
 * an object whose members are placeholders; the text that it returns is cut at them.
 */
export type KeyTemplate<N extends string> = (
  item: Readonly<Record<N, KeyValue>>,
) => readonly [string, (string | undefined)?];

/** The placeholder of an attribute inside a key template. */
export type KeyValue = string & { readonly placeholder?: true };

const [open, close, separator] = ['\u0001', '\u0002', '\u0003'];

/** The value turned round, so that forward reading is high to low. */
export function inverted(value: KeyValue): KeyValue {
  return `${open}inverted${separator}${nameOf(value)}${close}`;
}

/** The year, month, day or hour of a time. */
export function bucket(value: KeyValue, unit: 'year' | 'month' | 'day' | 'hour'): KeyValue {
  return `${open}bucket${separator}${nameOf(value)}${separator}${unit}${close}`;
}

/** A number below `count`, computed from the values. */
export function shard(count: number, ...of: readonly KeyValue[]): KeyValue {
  return `${open}shard${separator}${count}${separator}${of.map(nameOf).join(separator)}${close}`;
}

export function placeholder(name: string): KeyValue {
  return `${open}attribute${separator}${name}${close}`;
}

function nameOf(value: KeyValue): string {
  const [piece] = parseTemplate(value);
  if (piece?.kind !== 'attribute') throw new Error('a key template wants an attribute here, not text');
  return piece.attribute;
}

export function parseTemplate(template: string): Piece[] {
  return template
    .split(new RegExp(`${open}([^${close}]*)${close}`))
    .map((part, at): Piece => (at % 2 === 0 ? { kind: 'constant', text: part } : parsePlaceholder(part)))
    .filter((piece) => piece.kind !== 'constant' || piece.text !== '');
}

function parsePlaceholder(part: string): Piece {
  const [kind, first, ...rest] = part.split(separator) as [string, string, ...string[]];
  switch (kind) {
    case 'inverted':
      return { kind: 'attribute', attribute: first, inverted: true };
    case 'bucket':
      return { kind: 'bucket', attribute: first, unit: rest[0] as 'day' };
    case 'shard':
      return { kind: 'shard', of: rest, count: Number(first) };
    default:
      return { kind: 'attribute', attribute: first };
  }
}
