import { parseDecimal } from './big-decimal.ts';
import type { SetValue, Update } from './expression-trees.ts';
import { invalid, NotKnown, parameter } from './outcome.ts';
import {
  type IndexDefinition,
  indexesOf,
  type KeyDefinition,
  keysOf,
  type TableDefinition,
} from './table-definition.ts';
import { type Attributes, bytesOf, depthOf, sizeOf, sizeOfItem, typeOf, type Value } from './values.ts';

const itemBytesMax = 409_600;
/** What UpdateItem adds to the size of an item, in a way known only roughly, is always less than this. */
const updateSlackBytes = 5_000;

export const checkTexts = {
  keyMismatch: 'The provided key element does not match the schema',
  putTooLarge: 'Item size has exceeded the maximum allowed size',
  updateTooLarge: 'Item size to update has exceeded the maximum allowed size',
  updateIndexType: 'The update expression attempted to update the secondary index key to unsupported type',
  hashTooLong: parameter('Size of hashkey has exceeded the maximum size limit of2048 bytes'),
  rangeTooLong: parameter('Aggregated size of all range keys has exceeded the size limit of 1024 bytes'),
  tooDeep:
    'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit',
} as const;

/** The newer validation layer's way to begin, for PutItem, UpdateItem and DeleteItem. */
export function enveloped(text: string): string {
  return `1 validation error detected: ${text}`;
}

/** The checks of values that need no table. GetItem tells their faults without the envelope. */
export function checkContents(sent: Attributes, envelope: boolean): void {
  const faults = Object.values(sent).flatMap(contentFaults);
  if (faults.length > 0) throw invalid(...faults.map((fault) => (envelope ? enveloped(fault) : fault)));
}

export function contentFaults(value: Value): string[] {
  const own = depthOf(value) > 32 ? [checkTexts.tooDeep] : [];
  if ('N' in value) return numberFaults(value.N);
  if ('NS' in value) return value.NS.flatMap(numberFaults);
  if ('L' in value) return [...own, ...value.L.flatMap(contentFaults)];
  if ('M' in value) return [...own, ...Object.values(value.M).flatMap(contentFaults)];
  return [];
}

function numberFaults(text: string): string[] {
  const number = parseDecimal(text);
  return 'refused' in number ? [number.refused] : [];
}

/** A key as GetItem, UpdateItem and DeleteItem are given it. */
export function checkKey(table: TableDefinition, key: Attributes): void {
  const expected = keysOf(table);
  const fits = expected.every(({ name, type }) => key[name] !== undefined && typeOf(key[name]) === type);
  if (!fits || Object.keys(key).length !== expected.length) throw invalid(checkTexts.keyMismatch);
  const faults = keyContentFaults(table, key);
  if (faults.length > 0) throw invalid(...faults);
}

/**
 * An item that PutItem is to store: its keys and those of the indexes, in no particular order. An attribute that is a
 * key of both is judged as the table's.
 */
export function checkPutItem(table: TableDefinition, item: Attributes): void {
  const faults: string[] = [];
  for (const { name, type } of keysOf(table)) {
    const value = item[name];
    if (value === undefined) faults.push(parameter(`Missing the key ${name} in the item`));
    else if (typeOf(value) !== type)
      faults.push(parameter(`Type mismatch for key ${name} expected: ${type} actual: ${typeOf(value)}`));
  }
  faults.push(...keyContentFaults(table, item));
  for (const index of indexesOf(table)) {
    for (const { name, type } of [...index.hash, ...index.range]) {
      const value = item[name];
      if (value === undefined || keysOf(table).some((key) => key.name === name)) continue;
      if (isToldOfAnother(table, index, name)) continue;
      if (typeOf(value) !== type) faults.push(indexMismatch(index, name, type, value));
      else if (isEmpty(value)) {
        faults.push(
          `${notValid} A value specified for a secondary index key is not supported. ${emptyText(value)} ` +
            `IndexName: ${index.name}, IndexKey: ${name}`,
        );
      }
    }
    faults.push(...lengthFaults(item, index.hash, index.range));
  }
  if (sizeOfItem(item) > itemBytesMax) faults.push(checkTexts.putTooLarge);
  if (faults.length > 0) throw invalid(...faults);
}

/** Of a key that a local and a global index have in common, errors name the global one. */
function isToldOfAnother(table: TableDefinition, index: IndexDefinition, name: string): boolean {
  const isKeyOf = ({ hash, range }: IndexDefinition) => [...hash, ...range].some((key) => key.name === name);
  return table.locals.includes(index) && table.globals.some(isKeyOf);
}

function indexMismatch(index: IndexDefinition, name: string, type: string, value: Value): string {
  return mismatchText(index, name, type, typeOf(value));
}

function mismatchText(index: IndexDefinition, name: string, type: string, actual: string): string {
  return parameter(
    `Type mismatch for Index Key ${name} Expected: ${type} Actual: ${actual} IndexName: ${index.name}`,
  );
}

/** The types that an update gives to index keys whatever the item holds, before the item is looked at. */
export function checkConstantTypes(table: TableDefinition, update: Update): void {
  const faults: string[] = [];
  for (const index of indexesOf(table)) {
    for (const { name, type } of [...index.hash, ...index.range]) {
      if (isToldOfAnother(table, index, name)) continue;
      for (const action of update) {
        if (action.path.length > 1 || action.path[0] !== name) continue;
        const stored =
          action.kind === 'add'
            ? typeOf(action.value)
            : action.kind === 'set'
              ? constantType(action.value)
              : undefined;
        if (stored !== undefined && stored !== type) faults.push(mismatchText(index, name, type, stored));
      }
    }
  }
  if (faults.length > 0) throw invalid(...faults);
}

function constantType(value: SetValue): string | undefined {
  switch (value.kind) {
    case 'path':
      return undefined;
    case 'value':
      return typeOf(value.value);
    case 'arithmetic':
      return 'N';
    case 'listAppend':
      return 'L';
    case 'ifNotExists':
      return constantType(value.otherwise);
  }
}

/** The item that an update makes: only index keys and the size can have gone wrong. */
export function checkUpdatedItem(table: TableDefinition, item: Attributes): void {
  const faults: string[] = [];
  for (const index of indexesOf(table)) {
    for (const { name, type } of [...index.hash, ...index.range]) {
      const value = item[name];
      if (value === undefined) continue;
      if (isToldOfAnother(table, index, name)) continue;
      if (typeOf(value) !== type) faults.push(checkTexts.updateIndexType);
      else if (isEmpty(value)) {
        faults.push(
          `${notValid} The update expression attempted to update a secondary index key to a value that is not ` +
            `supported. ${emptyText(value)}`,
        );
      }
    }
    if (lengthFaults(item, index.hash, index.range).length > 0)
      throw new NotKnown('what UpdateItem says to an index key that is too long');
  }
  const size = sizeOfItem(item);
  if (size > itemBytesMax) faults.push(checkTexts.updateTooLarge);
  if (faults.length > 0) throw invalid(...faults);
  if (size > itemBytesMax - updateSlackBytes)
    throw new NotKnown('how much UpdateItem adds to the size exactly');
  for (const [name, value] of Object.entries(item)) {
    if (depthOf(value) > 32) throw new NotKnown(`what is said when an update makes ${name} too deep`);
  }
}

/** Whether an index can have an item: not when one of its keys is missing, of another type, empty or too long. */
export function fitsIndex(index: IndexDefinition, item: Attributes): boolean {
  const keys = [...index.hash, ...index.range];
  return (
    keys.every(({ name, type }) => {
      const value = item[name];
      return value !== undefined && typeOf(value) === type && !isEmpty(value);
    }) && lengthFaults(item, index.hash, index.range).length === 0
  );
}

const notValid = 'One or more parameter values are not valid.';

function keyContentFaults(table: TableDefinition, item: Attributes): string[] {
  const faults: string[] = [];
  for (const { name } of keysOf(table)) {
    const value = item[name];
    if (value !== undefined && isEmpty(value)) faults.push(`${notValid} ${emptyText(value)} Key: ${name}`);
  }
  return [...faults, ...lengthFaults(item, [table.hash], table.range === undefined ? [] : [table.range])];
}

function lengthFaults(
  item: Attributes,
  hash: readonly KeyDefinition[],
  range: readonly KeyDefinition[],
): string[] {
  const longer = (keys: readonly KeyDefinition[], max: number) =>
    keys.some(({ name }) => {
      const value = item[name];
      return value !== undefined && ('S' in value || 'B' in value) && sizeOf(value) > max;
    });
  return [
    ...(longer(hash, 2048) ? [checkTexts.hashTooLong] : []),
    ...(longer(range, 1024) ? [checkTexts.rangeTooLong] : []),
  ];
}

export function isEmpty(value: Value): boolean {
  return ('S' in value && value.S === '') || ('B' in value && bytesOf(value.B).length === 0);
}

function emptyText(value: Value): string {
  const kind = 'S' in value ? 'string' : 'binary';
  return `The AttributeValue for a key attribute cannot contain an empty ${kind} value.`;
}
