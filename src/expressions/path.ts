import { expressionLimits } from '../model/limits.ts';
import type { AttributeValue, Item } from '../model/values/attribute-value.ts';
import { isReservedWord } from './reserved-words.ts';
import type { TokenReader } from './token-reader.ts';
import type { DocumentPath, ParsedPath, ParsedPathElement } from './tree.ts';

/** Document paths: how they are read, printed and followed. */

/** What stands for an item that is not there. */
export const noItem: Item = new Map();

export function parsePath(reader: TokenReader): ParsedPath {
  const elements: ParsedPathElement[] = [parseName(reader)];
  parseElements(reader, elements);
  return { kind: 'path', elements };
}

/**
 * Reads further elements of a path that was read before, as behind the parenthesis of `(a).b`. The parser is the only
 * one who has the path yet, and copying it at each of a thousand parentheses would cost more than the text is long.
 */
export function extendPath(reader: TokenReader, path: ParsedPath): boolean {
  const { length } = path.elements;
  parseElements(reader, path.elements as ParsedPathElement[]);
  return path.elements.length > length;
}

function parseElements(reader: TokenReader, elements: ParsedPathElement[]): void {
  for (;;) {
    if (reader.takeIf('.')) elements.push(parseName(reader));
    else if (reader.takeIf('[')) elements.push(parseIndex(reader));
    else return;
  }
}

/** After a syntax error it no longer matters what comes out. */
function parseName(reader: TokenReader): ParsedPathElement {
  if (reader.isName) return { kind: 'name', name: reader.take().text };
  if (reader.token.kind === 'name reference') return { kind: 'reference', reference: reader.take().text };
  reader.fail();
  return { kind: 'name', name: '' };
}

function parseIndex(reader: TokenReader): ParsedPathElement {
  if (reader.token.kind !== 'digits') reader.fail();
  const digits = reader.take().text;
  reader.expect(']');
  return { kind: 'index', index: Number(digits), digits };
}

/** The first reserved word that a path uses as a name of its own. */
export function reservedWordIn(path: ParsedPath): string | undefined {
  for (const element of path.elements) {
    if (element.kind === 'name' && isReservedWord(element.name)) {
      return `Attribute name is a reserved keyword; reserved keyword: ${element.name}`;
    }
  }
  return undefined;
}

/** An index or a depth that no document has. */
export function excessOf(path: ParsedPath): string | undefined {
  const { listIndexMax, pathElementsMax } = expressionLimits;
  for (const element of path.elements) {
    if (element.kind === 'index' && element.index > listIndexMax) {
      return `List index is not within the allowable range; index: [${element.digits}]`;
    }
  }
  const levels = path.elements.length;
  if (levels <= pathElementsMax) return undefined;
  return `The document path has too many nesting levels; nesting levels: ${levels}`;
}

/** A path as the service prints it: `[a, b, [1]]`. */
export function pathText(path: DocumentPath): string {
  return `[${path.map((element) => (typeof element === 'number' ? `[${element}]` : element)).join(', ')}]`;
}

export function equalPaths(a: DocumentPath, b: DocumentPath): boolean {
  return a.length === b.length && a.every((element, i) => element === b[i]);
}

/** The value at a path, if the item has one. */
export function valueAt(item: Item, path: DocumentPath): AttributeValue | undefined {
  let value = item.get(path[0]);
  for (let i = 1; i < path.length && value !== undefined; i++) value = memberOf(value, path[i]!);
  return value;
}

/** The member of a map or the element of a list. */
export function memberOf(value: AttributeValue, element: string | number): AttributeValue | undefined {
  if (typeof element === 'number') return 'L' in value ? value.L[element] : undefined;
  return 'M' in value ? value.M.get(element) : undefined;
}
