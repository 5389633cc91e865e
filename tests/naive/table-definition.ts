import type { CreateTableCommandInput, UpdateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { KeyTypeName } from './values.ts';

export interface KeyDefinition {
  readonly name: string;
  readonly type: KeyTypeName;
}

export interface IndexDefinition {
  readonly name: string;
  readonly hash: readonly KeyDefinition[];
  readonly range: readonly KeyDefinition[];
  /** Names of an INCLUDE, or one of the other kinds. */
  readonly projection: 'ALL' | 'KEYS_ONLY' | readonly string[];
}

export interface TableDefinition {
  readonly hash: KeyDefinition;
  readonly range?: KeyDefinition;
  readonly locals: readonly IndexDefinition[];
  readonly globals: readonly IndexDefinition[];
}

export function keysOf(table: TableDefinition): readonly KeyDefinition[] {
  return table.range === undefined ? [table.hash] : [table.hash, table.range];
}

export function indexesOf(table: TableDefinition): readonly IndexDefinition[] {
  return [...table.locals, ...table.globals];
}

/** Every attribute that is a key of the table or of an index, once. */
export function allKeysOf(table: TableDefinition): readonly KeyDefinition[] {
  const all = [...keysOf(table), ...indexesOf(table).flatMap((index) => [...index.hash, ...index.range])];
  return all.filter((key, i) => all.findIndex(({ name }) => name === key.name) === i);
}

export function createTableInput(table: TableDefinition, tableName: string): CreateTableCommandInput {
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributeDefinitions(allKeysOf(table)),
    KeySchema: keySchema([table.hash], table.range === undefined ? [] : [table.range]),
    ...(table.locals.length > 0 && { LocalSecondaryIndexes: table.locals.map(indexInput) }),
    ...(table.globals.length > 0 && { GlobalSecondaryIndexes: table.globals.map(indexInput) }),
  };
}

export function createIndexInput(index: IndexDefinition, tableName: string): UpdateTableCommandInput {
  return {
    TableName: tableName,
    AttributeDefinitions: attributeDefinitions([...index.hash, ...index.range]),
    GlobalSecondaryIndexUpdates: [{ Create: indexInput(index) }],
  };
}

export function deleteIndexInput(name: string, tableName: string): UpdateTableCommandInput {
  return { TableName: tableName, GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: name } }] };
}

function indexInput({ name, hash, range, projection }: IndexDefinition) {
  return {
    IndexName: name,
    KeySchema: keySchema(hash, range),
    Projection:
      typeof projection === 'string'
        ? { ProjectionType: projection }
        : { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...projection] },
  };
}

function attributeDefinitions(keys: readonly KeyDefinition[]) {
  return keys.map(({ name, type }) => ({ AttributeName: name, AttributeType: type }));
}

function keySchema(hash: readonly KeyDefinition[], range: readonly KeyDefinition[]) {
  return [
    ...hash.map(({ name }) => ({ AttributeName: name, KeyType: 'HASH' as const })),
    ...range.map(({ name }) => ({ AttributeName: name, KeyType: 'RANGE' as const })),
  ];
}
