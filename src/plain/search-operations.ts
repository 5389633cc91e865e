import type { QueryInput as QueryRequest } from '../operations/query.ts';
import type { ScanInput as ScanRequest } from '../operations/scan.ts';
import type { LegacyConditionInput, ReadInput } from '../operations/shapes/read-shapes.ts';
import type { AttributeMap, AttributeMapInput, AttributeValueInput } from './attribute-value.ts';
import type { ConsumedCapacity } from './item-operations.ts';

/** Requests and answers of Query and Scan. */

export interface Condition extends Omit<LegacyConditionInput, 'AttributeValueList'> {
  readonly AttributeValueList?: readonly AttributeValueInput[];
}

type Conditions = Readonly<Record<string, Condition>>;

type Search<Request extends ReadInput> = Omit<
  Request,
  'ExclusiveStartKey' | 'ExpressionAttributeValues' | 'KeyConditions' | 'QueryFilter' | 'ScanFilter'
> & {
  readonly ExclusiveStartKey?: AttributeMapInput;
  readonly ExpressionAttributeValues?: AttributeMapInput;
};

export type QueryInput = Search<QueryRequest> & {
  readonly KeyConditions?: Conditions;
  readonly QueryFilter?: Conditions;
};

export type ScanInput = Search<ScanRequest> & { readonly ScanFilter?: Conditions };

export interface QueryOutput {
  /** Absent when only the count was asked for. */
  readonly Items?: readonly AttributeMap[];
  readonly Count: number;
  readonly ScannedCount: number;
  readonly LastEvaluatedKey?: AttributeMap;
  readonly ConsumedCapacity?: ConsumedCapacity;
}

export type ScanOutput = QueryOutput;
