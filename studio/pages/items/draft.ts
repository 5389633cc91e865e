import { type Signal, signal } from '@preact/signals';
import { DynamoError } from '../../../src/model/errors.ts';
import { setOf } from '../../../src/model/values/attribute-value.ts';
import { isBase64 } from '../../../src/model/values/base64.ts';
import { canonicalNumber } from '../../../src/model/values/numbers.ts';
import type { AttributeType, AttributeValue, Item } from '../../data/items.ts';
import { typeOf } from '../../data/items.ts';

/**
 * An item while it is edited: a tree whose every leaf is a text in a signal of its own, so that a key press redraws one
 * line. A value that nobody touched goes back exactly as it came.
 */
export interface DraftNode {
  readonly id: number;
  readonly name: Signal<string>;
  readonly type: Signal<AttributeType>;
  /** The text of S, N and B, and the word of BOOL. */
  readonly text: Signal<string>;
  /** The members of M, L and sets. Members of sets have the type of one member. */
  readonly children: Signal<readonly DraftNode[]>;
  readonly isOpen: Signal<boolean>;
}

let latest = 0;

export function newNode(
  name: string,
  type: AttributeType,
  text = '',
  children: readonly DraftNode[] = [],
): DraftNode {
  return {
    id: ++latest,
    name: signal(name),
    type: signal(type),
    text: signal(text),
    children: signal(children),
    isOpen: signal(true),
  };
}

export function draftOf(item: Item): DraftNode[] {
  return [...item].map(([name, value]) => draftValue(name, value));
}

const memberType = { SS: 'S', NS: 'N', BS: 'B' } as const;

function draftValue(name: string, value: AttributeValue): DraftNode {
  const type = typeOf(value);
  switch (type) {
    case 'M':
      return newNode(name, type, '', draftOf((value as { M: Item }).M));
    case 'L':
      return newNode(
        name,
        type,
        '',
        (value as { L: readonly AttributeValue[] }).L.map((one) => draftValue('', one)),
      );
    case 'SS':
    case 'NS':
    case 'BS': {
      const members = Object.values(value)[0] as readonly string[];
      return newNode(
        name,
        type,
        '',
        members.map((one) => newNode('', memberType[type], one)),
      );
    }
    case 'NULL':
      return newNode(name, type);
    default:
      return newNode(name, type, String(Object.values(value)[0]));
  }
}

/** Changes the type of a value and keeps what can be kept of it. */
export function retype(node: DraftNode, type: AttributeType): void {
  const before = node.type.value;
  if (type === before) return;
  const text = node.text.value;
  const members = node.children.value;
  if (type === 'SS' || type === 'NS' || type === 'BS') {
    const texts = members.length > 0 ? members.map((one) => one.text.value) : text === '' ? [] : [text];
    node.children.value = texts.map((one) => newNode('', memberType[type], one));
  } else if (type === 'L') {
    if (members.length === 0 && text !== '' && before !== 'M')
      node.children.value = [newNode('', before === 'N' ? 'N' : 'S', text)];
    else for (const one of members) one.name.value = '';
  } else if (type === 'M') {
    for (const [i, one] of members.entries()) if (one.name.value === '') one.name.value = String(i);
  } else {
    const single = members.length === 1 ? members[0]!.text.value : text;
    node.text.value = type === 'BOOL' ? String(single === 'true') : single;
    node.children.value = [];
  }
  node.type.value = type;
}

/** The item that a draft stands for, and what is wrong with it, by the id of the line. */
export interface ReadDraft {
  readonly item: Item;
  readonly problems: ReadonlyMap<number, string>;
}

export function readDraft(nodes: readonly DraftNode[]): ReadDraft {
  const problems = new Map<number, string>();
  return { item: readMembers(nodes, problems), problems };
}

function readMembers(nodes: readonly DraftNode[], problems: Map<number, string>): Item {
  const item = new Map<string, AttributeValue>();
  for (const node of nodes) {
    const name = node.name.value;
    if (name === '') problems.set(node.id, 'An attribute needs a name');
    else if (item.has(name)) problems.set(node.id, `There are two attributes called ${name}`);
    item.set(name, readNode(node, problems));
  }
  return item;
}

function readNode(node: DraftNode, problems: Map<number, string>): AttributeValue {
  const text = node.text.value;
  const type = node.type.value;
  switch (type) {
    case 'S':
      return { S: text };
    case 'N': {
      const number = readNumber(text);
      if (number === undefined)
        problems.set(node.id, text.trim() === '' ? 'A number is missing' : notANumber);
      return { N: number ?? '0' };
    }
    case 'B':
      if (!isBase64(text)) problems.set(node.id, 'Binary is written in base64');
      return { B: isBase64(text) ? text : '' };
    case 'BOOL':
      return { BOOL: text === 'true' };
    case 'NULL':
      return { NULL: true };
    case 'L':
      return { L: node.children.value.map((child) => readNode(child, problems)) };
    case 'M':
      return { M: readMembers(node.children.value, problems) };
    default:
      return readSet(node, type, problems);
  }
}

function readSet(node: DraftNode, type: 'SS' | 'NS' | 'BS', problems: Map<number, string>): AttributeValue {
  const members = new Set<string>();
  for (const child of node.children.value) {
    const value = readNode(child, problems);
    const text = String(Object.values(value)[0]);
    if (members.has(text)) problems.set(child.id, 'A set has every member once');
    members.add(text);
  }
  if (members.size === 0) problems.set(node.id, 'A set has at least one member');
  return setOf(type, members);
}

const notANumber = 'Not a number of at most 38 digits';

/** The number in its usual spelling, with all its digits; undefined if it is none that DynamoDB takes. */
function readNumber(text: string): string | undefined {
  const number = canonicalNumber(text.trim(), 'newer');
  return number instanceof DynamoError ? undefined : number;
}
