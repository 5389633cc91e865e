/** Values of a YAML document, with CloudFormation's short forms and with comments. */
export type YamlValue =
  | string
  | number
  | boolean
  | Tagged
  | Noted
  | readonly YamlValue[]
  | { readonly [name: string]: YamlValue | undefined };

/** A value under a tag such as `!Ref`. */
export class Tagged {
  readonly tag: string;
  readonly value: YamlValue;

  constructor(tag: string, value: YamlValue) {
    this.tag = tag;
    this.value = value;
  }
}

/** A value with a comment in the lines before it. */
export class Noted {
  readonly note: string;
  readonly value: YamlValue;

  constructor(note: string, value: YamlValue) {
    this.note = note;
    this.value = value;
  }
}

/** The text of a document. Members that are undefined are left out. */
export function writeYaml(value: YamlValue): string {
  return `${block(value, 0).join('\n').trim()}\n`;
}

/** The lines of a value that starts on a line of its own. */
function block(value: YamlValue, depth: number): string[] {
  const pad = '  '.repeat(depth);
  if (Array.isArray(value)) {
    return value.flatMap((one: YamlValue) => {
      const [note, inner] = unwrapped(one);
      const text = inline(inner);
      const notes = commentLines(note, pad);
      if (text !== undefined) return [...notes, `${pad}- ${text}`];
      const lines = block(inner, depth + 1);
      return [...notes, `${pad}- ${lines[0]!.trimStart()}`, ...lines.slice(1)];
    });
  }
  const text = inline(value);
  if (text !== undefined) return [`${pad}${text}`];
  if (value instanceof Tagged) return [`${pad}${value.tag}`, ...block(value.value, depth + 1)];
  return Object.entries(value as Readonly<Record<string, YamlValue | undefined>>).flatMap(
    ([name, member]) => {
      if (member === undefined) return [];
      const [note, inner] = unwrapped(member);
      const head = `${pad}${scalar(name)}:`;
      const own = inline(inner);
      const lines = commentLines(note, pad);
      // The sections of a template and their members are easier to find with air between them.
      if (depth === 0 || (depth === 1 && own === undefined)) lines.unshift('');
      if (own !== undefined) return [...lines, `${head} ${own}`];
      if (inner instanceof Tagged)
        return [...lines, `${head} ${inner.tag}`, ...block(inner.value, depth + 1)];
      return [...lines, head, ...block(inner, depth + 1).filter((line, at) => at > 0 || line !== '')];
    },
  );
}

function unwrapped(value: YamlValue): [string | undefined, YamlValue] {
  return value instanceof Noted ? [value.note, value.value] : [undefined, value];
}

function commentLines(note: string | undefined, pad: string): string[] {
  return note === undefined ? [] : note.split('\n').map((line) => `${pad}# ${line}`.trimEnd());
}

/** The value on the line of its name, if it fits there. */
function inline(value: YamlValue): string | undefined {
  if (typeof value === 'string') return scalar(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Tagged) {
    const inner = inline(value.value);
    return inner === undefined ? undefined : `${value.tag} ${inner}`;
  }
  if (Array.isArray(value)) {
    const parts = value.map((one: YamlValue) => (one instanceof Noted ? undefined : inline(one)));
    if (parts.some((part) => part === undefined)) return undefined;
    const text = `[${parts.join(', ')}]`;
    return text.length > 80 ? undefined : text;
  }
  return Object.keys(value).length === 0 ? '{}' : undefined;
}

/** Words that YAML 1.1, which CloudFormation reads, takes for something else than text. */
const reserved = /^(true|false|null|yes|no|on|off|y|n|~)$/i;

function scalar(text: string): string {
  const plain = /^[A-Za-z_/][A-Za-z0-9_ ./()+-]*(:{1,2}[A-Za-z0-9_ ./()+-]+)*$/.test(text);
  return plain && !reserved.test(text) && !text.endsWith(' ') && !text.includes(': ')
    ? text
    : `'${text.replaceAll("'", "''")}'`;
}
