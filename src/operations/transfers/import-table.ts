import { nowMs } from '../../engine/clock.ts';
import { randomBytes, randomUuid } from '../../engine/randomness.ts';
import { storageIdBytes } from '../../engine/store-keys.ts';
import { newTableRecord } from '../../engine/tables/table-record.ts';
import type { ImportRequest } from '../../engine/transfers/import-record.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { toHex } from '../../model/values/hex.ts';
import { onBucket, onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import type { CreateTableInput } from '../tables/create-table.ts';
import { createTableError } from '../tables/rules/create-table-request.ts';
import { createdTable } from '../tables/rules/created-table.ts';
import { throughputQuota } from '../tables/throughput-quota.ts';
import {
  bucketSource,
  clientToken,
  importAnswer,
  importTableDescription,
  inputCompression,
  inputFormat,
  inputFormatOptions,
  tableCreationParameters,
} from './import-answer.ts';
import { noBuckets } from './no-buckets.ts';

export const importTableShape = inputShape('ImportTable', {
  ClientToken: clientToken,
  S3BucketSource: required(bucketSource),
  InputFormat: required(inputFormat),
  InputFormatOptions: inputFormatOptions,
  InputCompressionType: inputCompression,
  TableCreationParameters: required(tableCreationParameters),
});
export interface ImportTableInput extends InputOf<typeof importTableShape> {}

export const importTableOutput = outputShape({ ImportTableDescription: required(importTableDescription) });
export interface ImportTableOutput extends OutputOf<typeof importTableOutput> {}

/** Trouble with the bucket is not answered here: as on the service, the import begins and ends FAILED. */
export const importTable = operation<ImportTableInput, ImportTableOutput>(
  importTableShape,
  importTableOutput,
  ({ TableCreationParameters, S3BucketSource }, road) => [
    ...onTable(TableCreationParameters, road),
    ...onBucket(S3BucketSource.S3Bucket, ['ListBucket'], ['GetObject']),
  ],
  async (road, input) => {
    const { engine, caller } = road;
    const { ClientToken: token, ...asked } = input;
    const { TableCreationParameters: parameters } = input;
    const creation = parameters as CreateTableInput;
    const wrong = createTableError(creation, throughputQuota(caller, engine.quotas));
    if (wrong !== undefined) return wrong;
    if (input.InputFormat === 'ION')
      return validationError(
        'Stator does not read ION. Import DYNAMODB_JSON or CSV; an export of the service can be made in DYNAMODB_JSON',
      );
    const scope = { account: caller.accountId, region: caller.region };
    const forbidden = road.passControl(parameters.TableName);
    if (forbidden !== undefined) return forbidden;
    if (engine.transfers.tools === undefined) return noBuckets('ImportTable');
    const description = createdTable(creation, {
      nowMs: nowMs(engine.clock),
      tableId: randomUuid(engine.random),
      kmsKeyId: randomUuid(engine.random),
      ...scope,
    });
    const storageId = toHex(randomBytes(engine.random, storageIdBytes));
    const begun = await engine.transfers.imports.begin(
      scope,
      newTableRecord(description, storageId, {}),
      asked as ImportRequest,
      token,
    );
    return begun instanceof DynamoError ? begun : { ImportTableDescription: importAnswer(begun) };
  },
);
