import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
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
  const schema = (hash: readonly KeyDefinition[], range: readonly KeyDefinition[]) => [
    ...hash.map(({ name }) => ({ AttributeName: name, KeyType: 'HASH' as const })),
    ...range.map(({ name }) => ({ AttributeName: name, KeyType: 'RANGE' as const })),
  ];
  const indexes = (definitions: readonly IndexDefinition[]) =>
    definitions.map(({ name, hash, range, projection }) => ({
      IndexName: name,
      KeySchema: schema(hash, range),
      Projection:
        typeof projection === 'string'
          ? { ProjectionType: projection }
          : { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...projection] },
    }));
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: allKeysOf(table).map(({ name, type }) => ({
      AttributeName: name,
      AttributeType: type,
    })),
    KeySchema: schema([table.hash], table.range === undefined ? [] : [table.range]),
    ...(table.locals.length > 0 && { LocalSecondaryIndexes: indexes(table.locals) }),
    ...(table.globals.length > 0 && { GlobalSecondaryIndexes: indexes(table.globals) }),
  };
}
