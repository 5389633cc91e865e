import type {
  BatchExecuteStatementInput as BatchExecuteStatementRequest,
  BatchStatementRequest as BatchStatement,
} from '../operations/batch-execute-statement.ts';
import type { ExecuteStatementInput as ExecuteStatementRequest } from '../operations/execute-statement.ts';
import type { ExecuteTransactionInput as ExecuteTransactionRequest } from '../operations/execute-transaction.ts';
import type { ParameterizedStatement as TransactStatement } from '../operations/partiql/transact-members.ts';
import type { AttributeMap, AttributeValueInput } from './attribute-value.ts';
import type { ConsumedCapacity } from './item-operations.ts';

/** Requests and answers of PartiQL. */

interface WithParameters {
  readonly Parameters?: readonly AttributeValueInput[];
}

export interface ExecuteStatementInput extends Omit<ExecuteStatementRequest, 'Parameters'>, WithParameters {}

export interface ExecuteStatementOutput {
  readonly Items: readonly AttributeMap[];
  readonly NextToken?: string;
  readonly LastEvaluatedKey?: AttributeMap;
  readonly ConsumedCapacity?: ConsumedCapacity;
}

export interface BatchStatementRequest extends Omit<BatchStatement, 'Parameters'>, WithParameters {}

export interface BatchExecuteStatementInput extends Omit<BatchExecuteStatementRequest, 'Statements'> {
  readonly Statements: readonly BatchStatementRequest[];
}

export interface BatchStatementResponse {
  readonly Error?: { readonly Code: string; readonly Message?: string };
  readonly TableName?: string;
  readonly Item?: AttributeMap;
}

export interface BatchExecuteStatementOutput {
  readonly Responses: readonly BatchStatementResponse[];
  readonly ConsumedCapacity?: readonly ConsumedCapacity[];
}

export interface ParameterizedStatement extends Omit<TransactStatement, 'Parameters'>, WithParameters {}

export interface ExecuteTransactionInput extends Omit<ExecuteTransactionRequest, 'TransactStatements'> {
  readonly TransactStatements: readonly ParameterizedStatement[];
}

export interface ExecuteTransactionOutput {
  readonly Responses: readonly { readonly Item?: AttributeMap }[];
  readonly ConsumedCapacity?: readonly ConsumedCapacity[];
}
