/**
 * Characters that a terminal or a reader of lines takes for more than text: controls (C0, DEL, C1), marks that turn the
 * direction of writing, separators of lines and paragraphs, invisible joiners, halves of surrogate pairs.
 */
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeCharacter = String.fromCharCode(0x1b);
const pieces = new RegExp(
  `(${escapeCharacter}\\[(?:0|1|2|31|32|33|36)m|\\n)|[^${escapeCharacter}\\n]+|${escapeCharacter}`,
  'g',
);

/** Text of others on one line, with escapes for everything that could pass for a line of ours or move the cursor. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** The same for a message that may have several lines, such as a stack: none but the first begins at the margin. */
export function logLine(text: string): string {
  if (!text.includes('\n')) return printable(text);
  const [first, ...rest] = text.split('\n');
  return [printable(first!), ...rest.map((line) => printable(line).replace(/^(?! )/, '    '))].join('\n');
}

/** JSON with the same escapes, which every reader of JSON undoes. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(unprintable, unicodeEscape);
}

/** Our own output for a terminal: lines and codes of style stay, as only what a style makes of a text begins with one. */
export function terminalText(text: string): string {
  return text.replace(pieces, (piece, own: string | undefined) =>
    own === undefined ? printable(piece) : piece,
  );
}

function escaped(character: string): string {
  return short[character] ?? unicodeEscape(character);
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
