/** DescribeTable's answer, as far as the studio looks at it. */
export interface TableDescription {
  readonly TableName: string;
  readonly TableArn: string;
  readonly TableStatus: string;
  readonly ItemCount: number;
  readonly TableSizeBytes: number;
  readonly CreationDateTime?: number;
  readonly KeySchema: readonly KeyElement[];
  readonly AttributeDefinitions: readonly {
    readonly AttributeName: string;
    readonly AttributeType: KeyTypeName;
  }[];
  readonly BillingModeSummary?: { readonly BillingMode: string };
  readonly ProvisionedThroughput?: {
    readonly ReadCapacityUnits: number;
    readonly WriteCapacityUnits: number;
  };
  readonly GlobalSecondaryIndexes?: readonly IndexDescription[];
  readonly LocalSecondaryIndexes?: readonly IndexDescription[];
  readonly StreamSpecification?: { readonly StreamEnabled: boolean; readonly StreamViewType?: string };
  readonly LatestStreamArn?: string;
}

export type KeyTypeName = 'S' | 'N' | 'B';

export interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

export interface IndexDescription {
  readonly IndexName: string;
  readonly IndexStatus?: string;
  readonly KeySchema: readonly KeyElement[];
  readonly Projection: {
    readonly ProjectionType: string;
    readonly NonKeyAttributes?: readonly string[];
  };
  readonly ItemCount?: number;
  readonly IndexSizeBytes?: number;
}

export interface KeyNames {
  readonly hash: string;
  readonly range: string | undefined;
}

/** The key attributes of a table or index. Indexes of several HASH or RANGE attributes give the first of each. */
export function keyNames({ KeySchema }: { readonly KeySchema: readonly KeyElement[] }): KeyNames {
  return {
    hash: KeySchema.find(({ KeyType }) => KeyType === 'HASH')!.AttributeName,
    range: KeySchema.find(({ KeyType }) => KeyType === 'RANGE')?.AttributeName,
  };
}

export function allIndexes(table: TableDescription): readonly IndexDescription[] {
  return [...(table.LocalSecondaryIndexes ?? []), ...(table.GlobalSecondaryIndexes ?? [])];
}

export function attributeType(table: TableDescription, name: string): KeyTypeName | undefined {
  return table.AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
}
