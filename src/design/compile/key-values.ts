import { plainNumber } from '../exact-number.ts';
import type { Attribute, Entity, Piece } from '../ir.ts';
import { delimiter } from '../key-pieces.ts';
import { attributeText, bucketLength, lastMillisecond, shardOf } from '../key-text.ts';
import { PatternError } from './requests.ts';
import { checkKeyValue, type Value, type Values } from './values.ts';

/** Sorts behind every text that begins the same. */
export const afterAll = '\u{10ffff}';

/** A sort key of hand-made templates that have none: the service takes no empty text. */
const emptySort = delimiter;

export function attributeNamed(entity: Entity, name: string): Attribute {
  return entity.attributes.find((one) => one.name === name)!;
}

/** The attributes that a piece needs. */
export function namesOfPiece(piece: Piece): readonly string[] {
  if (piece.kind === 'constant') return [];
  return piece.kind === 'shard' ? piece.of : [piece.attribute];
}

/** The text of one piece; undefined if a value is missing. */
export function pieceText(where: string, entity: Entity, piece: Piece, values: Values): string | undefined {
  switch (piece.kind) {
    case 'constant':
      return piece.text;
    case 'shard': {
      const given = piece.of.map((name) => checkedValue(where, entity, name, values));
      return given.includes(undefined) ? undefined : String(shardOf(given as string[], piece.count));
    }
    case 'bucket': {
      const value = checkedValue(where, entity, piece.attribute, values);
      return value === undefined ? undefined : String(value).slice(0, bucketLength[piece.unit]);
    }
    case 'attribute':
      return valueText(
        where,
        attributeNamed(entity, piece.attribute),
        values[piece.attribute],
        piece.inverted,
      );
  }
}

/** The text of one value inside a key. */
export function valueText(
  where: string,
  attribute: Attribute,
  value: Value | undefined,
  inverted = false,
): string | undefined {
  if (value === undefined || value === null) return undefined;
  const checked = checkKeyValue(where, attribute, value);
  if (inverted && attribute.type.kind === 'time') {
    const ms = Date.parse(String(checked));
    if (ms < 0 || ms > lastMillisecond)
      throw new PatternError(
        where,
        `"${attribute.name}" must be a time from 1970 to 2286, not "${String(checked)}"`,
      );
  }
  return attributeText(attribute, checked, inverted);
}

function checkedValue(where: string, entity: Entity, name: string, values: Values) {
  const value = values[name];
  if (value === undefined || value === null) return undefined;
  return checkKeyValue(where, attributeNamed(entity, name), value);
}

/** The text of a whole template; undefined if the instance lacks an attribute and so is not in the slot. */
export function templateValue(
  where: string,
  entity: Entity,
  pieces: readonly Piece[],
  values: Values,
): string | undefined {
  let text = '';
  for (const piece of pieces) {
    const part = pieceText(where, entity, piece, values);
    if (part === undefined) return undefined;
    text += part;
  }
  return text === '' ? emptySort : text;
}

/** The values that a key's text tells; undefined if the text is not of this template. */
export function readTemplate(
  entity: Entity,
  pieces: readonly Piece[],
  text: string,
): Record<string, Value> | undefined {
  const values: Record<string, Value> = {};
  let at = 0;
  for (const [i, piece] of pieces.entries()) {
    if (piece.kind === 'constant') {
      if (!text.startsWith(piece.text, at)) return undefined;
      at += piece.text.length;
      continue;
    }
    const next = pieces[i + 1];
    const end = next?.kind === 'constant' ? text.indexOf(next.text, at) : text.length;
    if (end < 0) return undefined;
    if (piece.kind === 'attribute')
      values[piece.attribute] = valueOfText(
        attributeNamed(entity, piece.attribute),
        text.slice(at, end),
        piece.inverted ?? false,
      );
    at = end;
  }
  return at === text.length || (pieces.length === 0 && text === emptySort) ? values : undefined;
}

/** The inverse of `attributeText`. */
function valueOfText({ type }: Attribute, text: string, inverted: boolean): Value {
  switch (type.kind) {
    case 'number': {
      const whole = BigInt(text.replace('.', ''));
      const last = 10n ** BigInt(type.digits + type.decimals) - 1n;
      return plainNumber(inverted ? last - whole : whole, type.decimals);
    }
    case 'time':
      return inverted ? new Date(9_999_999_999_999 - Number(text)).toISOString() : text;
    case 'date': {
      if (!inverted) return text;
      const digits = String(99_999_999 - Number(text)).padStart(8, '0');
      return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
    }
    case 'epoch':
      return inverted ? 9_999_999_999 - Number(text) : Number(text);
    case 'flag':
      return text === '1';
    case 'choice':
      return type.ordered ? text.slice(2) : text;
    case 'text':
      return type.plain ? text : text.replaceAll('%23', '#').replaceAll('%25', '%');
    default:
      return text;
  }
}
