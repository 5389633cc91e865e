import { importTable as importTableCommand } from '../../engine/control/import-table.ts';
import { throughputQuota } from '../../engine/control/rules/throughput-rules.ts';
import type { ImportRequest } from '../../engine/transfers/import-record.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { onBucket, onTable } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required } from '../shapes/shape.ts';
import type { CreateTableInput } from '../tables/create-table.ts';
import { createTableError } from '../tables/rules/create-table-request.ts';
import { newTableOf } from '../tables/table-requests.ts';
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

const importTableShape = inputShape('ImportTable', {
  ClientToken: clientToken,
  S3BucketSource: required(bucketSource),
  InputFormat: required(inputFormat),
  InputFormatOptions: inputFormatOptions,
  InputCompressionType: inputCompression,
  TableCreationParameters: required(tableCreationParameters),
});
export interface ImportTableInput extends InputOf<typeof importTableShape> {}

const importTableOutput = outputShape({ ImportTableDescription: required(importTableDescription) });
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
    const wrong = createTableError(creation, throughputQuota(caller.region, engine.quotas));
    if (wrong !== undefined) return wrong;
    if (input.InputFormat === 'ION')
      return validationError(
        'Stator does not read ION. Import DYNAMODB_JSON or CSV; an export of the service can be made in DYNAMODB_JSON',
      );
    const scope = { account: caller.accountId, region: caller.region };
    const forbidden = road.passControl(parameters.TableName);
    if (forbidden !== undefined) return forbidden;
    if (engine.transfers.tools === undefined) return noBuckets('ImportTable');
    const begun = await importTableCommand(
      engine,
      scope,
      newTableOf(creation, parameters.TableName),
      asked as ImportRequest,
      token,
    );
    return begun instanceof DynamoError ? begun : { ImportTableDescription: importAnswer(begun) };
  },
);
