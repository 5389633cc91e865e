import { DynamoError, validationError } from '../../model/errors.ts';
import { arnLimits } from '../../model/limits.ts';
import { parseTableArn } from '../../model/tables/table-arn.ts';
import { onArn } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required, string } from '../shapes/shape.ts';
import { importAnswer, importTableDescription } from './import-answer.ts';

const describeImportShape = inputShape('DescribeImport', {
  ImportArn: required(string({ min: arnLimits.partLengthMin, max: arnLimits.partLengthMax })),
});
export interface DescribeImportInput extends InputOf<typeof describeImportShape> {}

const describeImportOutput = outputShape({ ImportTableDescription: required(importTableDescription) });
export interface DescribeImportOutput extends OutputOf<typeof describeImportOutput> {}

/** The texts of the refusals are ours; the service's were not recorded. */
export const describeImport = operation<DescribeImportInput, DescribeImportOutput>(
  describeImportShape,
  describeImportOutput,
  ({ ImportArn }, road) => onArn(road, ImportArn),
  async (road, { ImportArn: arn }) => {
    const { engine, caller } = road;
    const parsed = parseTableArn(arn);
    if (parsed?.part?.kind !== 'import') return validationError('Invalid Import ARN');
    if (parsed.account !== caller.accountId)
      return new DynamoError('AccessDeniedException', 'Access is denied');
    const forbidden = road.passControl(parsed.tableName);
    if (forbidden !== undefined) return forbidden;
    const scope = { account: parsed.account, region: caller.region };
    const found =
      parsed.region === caller.region && (await engine.transfers.imports.find(scope, parsed.part.name));
    return found && found.tableName === parsed.tableName
      ? { ImportTableDescription: importAnswer(found) }
      : new DynamoError('ImportNotFoundException', `Import not found: ${arn}`);
  },
);
