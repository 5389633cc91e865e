import { DynamoError, validationError } from '../../model/errors.ts';
import { arnLimits } from '../../model/limits.ts';
import { parseTableArn } from '../../model/tables/table-arn.ts';
import { onArn } from '../intents.ts';
import { operation } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { required, string } from '../shapes/shape.ts';
import { exportAnswer, exportDescription } from './export-answer.ts';

const describeExportShape = inputShape('DescribeExport', {
  ExportArn: required(string({ min: arnLimits.partLengthMin, max: arnLimits.partLengthMax })),
});
export interface DescribeExportInput extends InputOf<typeof describeExportShape> {}

const describeExportOutput = outputShape({ ExportDescription: required(exportDescription) });
export interface DescribeExportOutput extends OutputOf<typeof describeExportOutput> {}

/** Finds exports of deleted tables too. The texts of the refusals are ours; the service's were not recorded. */
export const describeExport = operation<DescribeExportInput, DescribeExportOutput>(
  describeExportShape,
  describeExportOutput,
  ({ ExportArn }, road) => onArn(road, ExportArn),
  async (road, { ExportArn: arn }) => {
    const { engine, caller } = road;
    const parsed = parseTableArn(arn);
    if (parsed?.part?.kind !== 'export') return validationError('Invalid Export ARN');
    if (parsed.account !== caller.accountId)
      return new DynamoError('AccessDeniedException', 'Access is denied');
    const forbidden = road.passControl(parsed.tableName);
    if (forbidden !== undefined) return forbidden;
    const scope = { account: parsed.account, region: caller.region };
    const found =
      parsed.region === caller.region && (await engine.transfers.exports.find(scope, parsed.part.name));
    return found && found.tableName === parsed.tableName
      ? { ExportDescription: exportAnswer(found) }
      : new DynamoError('ExportNotFoundException', `Export not found: ${arn}`);
  },
);
