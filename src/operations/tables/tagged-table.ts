import { type DynamoError, invalidParameter, validationError } from '../../model/errors.ts';
import { parseTableArn } from '../../model/tables/table-arn.ts';
import type { Caller } from '../operation.ts';
import type { TableReference } from '../table-reference.ts';

/**
 * Tags are kept with tables, which their operations know by ARN only. The text for what is no ARN at all is that of two
 * others which follow the service (inferred: reimplementations, 2026).
 */
export function taggedTable(arn: string, caller: Caller): TableReference | DynamoError {
  if (!arn.startsWith('arn:')) return invalidParameter(`ARNs must start with 'arn:': ${arn}`);
  const parsed = parseTableArn(arn);
  if (parsed === undefined || parsed.part !== undefined || parsed.region !== caller.region) {
    return validationError(`Invalid TableArn: Invalid ResourceArn provided as input ${arn}`);
  }
  return { scope: { account: parsed.account, region: parsed.region }, tableName: parsed.tableName };
}
