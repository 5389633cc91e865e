import type { Shape, StructureShape } from '../../operations/shapes/shape.ts';

/** An answer of the query protocol. Operations without an answer have no result element. */
export function xmlAnswer(
  operation: string,
  namespace: string,
  shape: StructureShape | undefined,
  answer: object,
  requestId: string,
): string {
  const result = shape && `<${operation}Result>${structureXml(shape, answer)}</${operation}Result>`;
  return `<${operation}Response xmlns="${namespace}">${result ?? ''}<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata></${operation}Response>\n`;
}

export function xmlError(
  namespace: string,
  { code, message, isSender }: { code: string; message: string; isSender: boolean },
  requestId: string,
): string {
  const type = isSender ? 'Sender' : 'Receiver';
  return `<ErrorResponse xmlns="${namespace}"><Error><Type>${type}</Type><Code>${escaped(code)}</Code><Message>${escaped(message)}</Message></Error><RequestId>${requestId}</RequestId></ErrorResponse>\n`;
}

function structureXml(shape: StructureShape, value: object): string {
  let xml = '';
  for (const [name, member] of shape.members) {
    const given = (value as Readonly<Record<string, unknown>>)[name];
    if (given !== undefined && given !== null) xml += `<${name}>${valueXml(member.shape, given)}</${name}>`;
  }
  return xml;
}

function valueXml(shape: Shape, value: unknown): string {
  switch (shape.kind) {
    case 'structure':
      return structureXml(shape, value as object);
    case 'list':
      return (value as readonly unknown[])
        .map((element) => `<member>${valueXml(shape.member, element)}</member>`)
        .join('');
    case 'map':
      return Object.entries(value as object)
        .map(
          ([key, entry]) =>
            `<entry><key>${escaped(key)}</key><value>${valueXml(shape.value, entry)}</value></entry>`,
        )
        .join('');
    case 'timestamp':
      return new Date(Math.round((value as number) * 1000)).toISOString();
    default:
      return escaped(String(value));
  }
}

/** XML 1.0 has no way to write most control characters; they become U+FFFD. */
function escaped(text: string): string {
  return text.replaceAll(special, (character) => entities.get(character) ?? '\ufffd');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not stand in XML.
const special = /[&<>"\r\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ['\r', '&#xD;'],
]);
