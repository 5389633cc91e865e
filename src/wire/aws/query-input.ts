import type { Shape, StructureShape } from '../../operations/shapes/shape.ts';

/** The result for a form that no request can have. */
export const notAForm = Symbol('not a form');

/** More parameters, or longer names, than the largest request has. */
const parametersMax = 200_000;
const partsMax = 32;

/** The parameters of a request by the parts of their names: `MetricData.member.1.MetricName`. */
class Node {
  text: string | undefined;
  readonly parts = new Map<string, Node>();
}

export interface QueryForm {
  readonly action: string | undefined;
  readonly version: string | undefined;
  /** The input in the form of JSON: times in seconds, numbers and booleans as such where they can be read. */
  inputOf(shape: StructureShape): object;
}

/** Reads the body of the query protocol. A number or time that cannot be read stays a text, for the check of types. */
export function readQueryForm(body: string): QueryForm | typeof notAForm {
  const root = new Node();
  let count = 0;
  for (const pair of body.split('&')) {
    if (pair === '') continue;
    if (++count > parametersMax) return notAForm;
    const equals = pair.indexOf('=');
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals));
    const text = decoded(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === undefined || text === undefined) return notAForm;
    const parts = name.split('.');
    if (parts.length > partsMax) return notAForm;
    let node = root;
    for (const part of parts) {
      let next = node.parts.get(part);
      if (next === undefined) {
        next = new Node();
        node.parts.set(part, next);
      }
      node = next;
    }
    node.text = text;
  }
  return {
    action: root.parts.get('Action')?.text,
    version: root.parts.get('Version')?.text,
    inputOf: (shape) => structureOf(shape, root),
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function structureOf(shape: StructureShape, node: Node): object {
  const input: Record<string, unknown> = {};
  for (const [name, member] of shape.members) {
    const part = node.parts.get(name);
    if (part !== undefined) input[name] = givenValue(member.shape, part);
  }
  return input;
}

function givenValue(shape: Shape, node: Node): unknown {
  switch (shape.kind) {
    case 'structure':
      return structureOf(shape, node);
    case 'list':
      return numbered(node.parts.get('member')).map((part) => givenValue(shape.member, part));
    case 'map':
      return Object.fromEntries(
        numbered(node.parts.get('entry')).map((entry) => {
          const value = entry.parts.get('value');
          return [entry.parts.get('key')?.text ?? '', value && givenValue(shape.value, value)];
        }),
      );
    case 'number':
      return numberOf(node.text);
    case 'timestamp':
      return secondsOf(node.text);
    case 'boolean':
      return node.text === 'true' ? true : node.text === 'false' ? false : node.text;
    default:
      return node.text;
  }
}

/** The elements of a list in their order; a client numbers them from 1. */
function numbered(node: Node | undefined): Node[] {
  if (node === undefined) return [];
  return [...node.parts]
    .filter(([number]) => /^\d{1,7}$/.test(number))
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, part]) => part);
}

function numberOf(text: string | undefined): unknown {
  if (text === undefined || text.trim() === '') return text;
  const number = Number(text);
  return Number.isNaN(number) && text !== 'NaN' ? text : number;
}

const isoTime = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** A time of ISO 8601, in UTC unless it says otherwise, or a number of seconds. */
function secondsOf(text: string | undefined): unknown {
  if (text === undefined) return text;
  const match = isoTime.exec(text);
  if (match === null) return numberOf(text);
  const ms = Date.parse(match[1] === undefined && text.length > 10 ? `${text}Z` : text);
  return Number.isNaN(ms) ? text : ms / 1000;
}
