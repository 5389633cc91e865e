import type { Shape, StructureShape } from '../../operations/shapes/shape.ts';
import { bodyShapeLimits } from '../wire-limits.ts';
import { WireWork } from '../wire-work.ts';

/** The result for a form that no request can have. */
export const notAForm = Symbol('not a form');

const { formParametersMax, formPartsMax, formNodesMax } = bodyShapeLimits;
const noParts: ReadonlyMap<string, Node> = new Map();

/** The parameters of a request by the parts of their names: `MetricData.member.1.MetricName`. */
class Node {
  text: string | undefined;
  #parts: Map<string, Node> | undefined;

  get parts(): ReadonlyMap<string, Node> {
    return this.#parts ?? noParts;
  }

  add(part: string): Node {
    const node = new Node();
    this.#parts ??= new Map();
    this.#parts.set(part, node);
    return node;
  }
}

export interface QueryForm {
  readonly action: string | undefined;
  readonly version: string | undefined;
  /**
   * The input in the form of JSON: times in seconds, numbers and booleans as such where they can be read. `notAForm` if a
   * parameter has parts where its shape has a single value.
   */
  inputOf(shape: StructureShape): object | typeof notAForm;
}

/** Reads the body of the query protocol. A number or time that cannot be read stays a text, for the check of types. */
export function readQueryForm(body: string, work = new WireWork()): QueryForm | typeof notAForm {
  const root = readNodes(body, work);
  if (root === undefined) return notAForm;
  return {
    action: root.parts.get('Action')?.text,
    version: root.parts.get('Version')?.text,
    inputOf: (shape) => {
      try {
        return structureOf(shape, root);
      } catch (error) {
        if (error instanceof Misshapen) return notAForm;
        throw error;
      }
    },
  };
}

/** The nodes of all names; undefined if they are too many, too deep, or not encoded as a form. */
function readNodes(body: string, work: WireWork): Node | undefined {
  const root = new Node();
  let parameters = 0;
  let nodes = 0;
  for (let at = 0, end = 0; at < body.length; at = end + 1) {
    end = body.indexOf('&', at);
    if (end === -1) end = body.length;
    if (end === at) continue;
    if (++parameters > formParametersMax) return undefined;
    const pair = body.slice(at, end);
    const equals = pair.indexOf('=');
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals));
    const text = decoded(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === undefined || text === undefined) return undefined;
    const parts = name.split('.', formPartsMax + 1);
    if (parts.length > formPartsMax) return undefined;
    let node = root;
    for (const part of parts) {
      let next = node.parts.get(part);
      if (next === undefined) {
        work.formNodes++;
        if (++nodes > formNodesMax) return undefined;
        next = node.add(part);
      }
      node = next;
    }
    node.text = text;
  }
  return root;
}

/** A parameter has parts, such as `AlarmTypes.member.1.x`, where its shape has a single value, or the other way round. */
class Misshapen extends Error {}

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
      refuseText(node);
      return structureOf(shape, node);
    case 'list':
      refuseText(node);
      return numbered(node.parts.get('member')).map((part) => givenValue(shape.member, part));
    case 'map':
      refuseText(node);
      return Object.fromEntries(
        numbered(node.parts.get('entry')).map((entry) => {
          const value = entry.parts.get('value');
          // An absent value is null, which the check of types reads as the empty value of its shape.
          return [
            entry.parts.get('key')?.text ?? '',
            value === undefined ? null : givenValue(shape.value, value),
          ];
        }),
      );
  }
  const { text } = node;
  if (text === undefined) throw new Misshapen();
  switch (shape.kind) {
    case 'number':
      return numberOf(text);
    case 'timestamp':
      return secondsOf(text);
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return text;
  }
}

/** Clients send an empty text for an empty list, map or structure; another text has no place there. */
function refuseText({ text, parts }: Node): void {
  if (text !== undefined && text !== '' && parts.size === 0) throw new Misshapen();
}

/** The elements of a list in their order; a client numbers them from 1. */
function numbered(node: Node | undefined): Node[] {
  if (node === undefined) return [];
  return [...node.parts]
    .filter(([number]) => /^\d{1,7}$/.test(number))
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([, part]) => part);
}

function numberOf(text: string): unknown {
  if (text.trim() === '') return text;
  const number = Number(text);
  return Number.isNaN(number) && text !== 'NaN' ? text : number;
}

const isoTime = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** A time of ISO 8601, in UTC unless it says otherwise, or a number of seconds. */
function secondsOf(text: string): unknown {
  const match = isoTime.exec(text);
  if (match === null) return numberOf(text);
  const ms = Date.parse(match[1] === undefined && text.length > 10 ? `${text}Z` : text);
  return Number.isNaN(ms) ? text : ms / 1000;
}
