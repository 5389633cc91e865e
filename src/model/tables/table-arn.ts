/** The ARN of a table, such as `arn:aws:dynamodb:eu-west-1:123456789012:table/Orders`, or of a part of one. */
export interface TableArn {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly tableName: string;
  /** The index, stream, backup, export or import of the table, if the ARN names one. */
  readonly part?: { readonly kind: TablePart; readonly name: string };
}

export type TablePart = (typeof tableParts)[number];

const tableParts = ['index', 'stream', 'backup', 'export', 'import'] as const;

/** Here every name is a Region, such as the `fakeRegion` of many local setups, and parsing must accept its ARNs. */
const arnPattern =
  /^arn:(aws[a-z-]*):dynamodb:([a-zA-Z0-9_-]+):(\d{12}):table\/([a-zA-Z0-9_.-]{1,255})(?:\/([a-z]+)\/(.+))?$/;

/** Parses the ARN of a table or of a part of one. Returns undefined for anything else. */
export function parseTableArn(text: string): TableArn | undefined {
  const match = arnPattern.exec(text);
  if (match === null) return undefined;
  const [, partition = '', region = '', account = '', tableName = '', part, name = ''] = match;
  const arn = { partition, region, account, tableName };
  if (part === undefined) return arn;
  const kind = tableParts.find((known) => known === part);
  return kind === undefined ? undefined : { ...arn, part: { kind, name } };
}

export function formatTableArn({ partition, region, account, tableName, part }: TableArn): string {
  const table = `arn:${partition}:dynamodb:${region}:${account}:table/${tableName}`;
  return part === undefined ? table : `${table}/${part.kind}/${part.name}`;
}

/** The ARN of a table in an account and a Region, or of a part of the table. */
export function tableArnIn(
  { account, region }: Pick<TableArn, 'account' | 'region'>,
  tableName: string,
  part?: NonNullable<TableArn['part']>,
): string {
  const arn = { partition: partitionOf(region), region, account, tableName };
  return formatTableArn(part === undefined ? arn : { ...arn, part });
}

/** The partition of a Region. The Regions of China and of the US government have partitions of their own. */
export function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  if (region.startsWith('us-gov-')) return 'aws-us-gov';
  return 'aws';
}

export function isArn(text: string): boolean {
  return text.startsWith('arn:');
}
