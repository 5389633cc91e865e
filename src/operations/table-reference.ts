import type { Scope } from '../engine/store-keys.ts';
import { DynamoError, validationError } from '../model/errors.ts';
import { isArn, parseTableArn } from '../model/tables/table-arn.ts';
import type { Caller } from './operation.ts';

/** The table of a request. Its TableName may be an ARN. */
export interface TableReference {
  readonly scope: Scope;
  readonly tableName: string;
}

/**
 * Reads a TableName. An ARN contains account and Region. The account may differ from the caller's: resource policies
 * allow it on AWS, and here every account is open to every caller. The service refuses another Region, because its
 * endpoints know only their own.
 */
export function tableReference(text: string, caller: Caller): TableReference | DynamoError {
  if (!isArn(text)) {
    return { scope: { account: caller.accountId, region: caller.region }, tableName: text };
  }
  const arn = parseTableArn(text);
  if (arn === undefined || arn.part !== undefined) return validationError(`Invalid table ARN: ${text}`);
  if (arn.region !== caller.region) {
    return validationError(
      `Invalid table ARN: the Region of ${text} is not that of the endpoint, ${caller.region}`,
    );
  }
  return { scope: { account: arn.account, region: arn.region }, tableName: arn.tableName };
}

/** Reads the TableNames of a request that names several tables. */
export function tableReferences(
  texts: readonly string[],
  caller: Caller,
): readonly TableReference[] | DynamoError {
  const references: TableReference[] = [];
  for (const text of texts) {
    const reference = tableReference(text, caller);
    if (reference instanceof DynamoError) return reference;
    references.push(reference);
  }
  return references;
}
