import type { Scope } from '../engine/store-keys.ts';
import { DynamoError, validationError } from '../model/errors.ts';
import { isArn, parseTableArn } from '../model/tables/table-arn.ts';
import type { Caller } from './operation.ts';

/** The table that a request means by its TableName, which may be an ARN. */
export interface TableReference {
  readonly scope: Scope;
  readonly tableName: string;
}

/**
 * An ARN names account and Region itself. The account may differ from the caller's (resource policies allow it on
 * AWS, and here every account is open to every caller); another Region is refused by the service, because its
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

/** The tables of a request that names several. */
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
