import { isA, listOf, text } from './fields.ts';
import { parseJson } from './parse-json.ts';

const texts = listOf(text);

/** Reads a JSON list of texts, which a store may have kept as the name of something. */
export function parseTexts(json: string): readonly string[] {
  const value = parseJson(json);
  if (isA(texts, value)) return value;
  throw new Error(`The value${texts.fault(value)}: ${json}`);
}
