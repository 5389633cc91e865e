import type { Scope } from '../../engine/store-keys.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { arnLimits } from '../../model/limits.ts';
import { formatTableArn, parseTableArn, partitionOf, tableArnIn } from '../../model/tables/table-arn.ts';
import type { Caller } from '../operation.ts';
import { string } from '../shapes/shape.ts';

export const backupArnShape = string({ min: arnLimits.partLengthMin, max: arnLimits.partLengthMax });

/** The backup that an ARN names. */
export interface BackupReference {
  readonly account: string;
  /** The Region in the ARN, which DescribeBackup and DeleteBackup ignore. */
  readonly region: string;
  readonly tableName: string;
  readonly id: string;
}

/** Reads the ARN of a backup. That of another account is refused. */
export function backupReference(text: string, caller: Caller): BackupReference | DynamoError {
  const arn = parseTableArn(text);
  if (arn?.part?.kind !== 'backup') return validationError('Invalid Backup ARN');
  if (arn.partition !== partitionOf(arn.region)) return validationError('BackupArn is not valid');
  if (arn.account !== caller.accountId) return new DynamoError('AccessDeniedException', 'Access is denied');
  return { account: arn.account, region: arn.region, tableName: arn.tableName, id: arn.part.name };
}

export function backupArn(scope: Scope, tableName: string, id: string): string {
  return tableArnIn(scope, tableName, { kind: 'backup', name: id });
}

/** The ARN of the backup that DescribeBackup and DeleteBackup find, which is one of the caller's Region. */
export function backupFoundBy(arn: string, { region }: Caller): string {
  const parsed = parseTableArn(arn);
  return parsed === undefined ? arn : formatTableArn({ ...parsed, region });
}
