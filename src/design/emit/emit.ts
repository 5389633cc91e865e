import type { Design } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Model } from '../ir.ts';
import { emitAwsCostModel } from './aws-cost-model.ts';
import { emitAwsDataModel } from './aws-data-model.ts';
import { emitAwsSchema } from './aws-schema.ts';
import { emitCdk } from './cdk.ts';
import { emitCloudFormation } from './cloudformation.ts';
import { emitCreateTable } from './create-table.ts';
import { emitElectroDb } from './electrodb.ts';
import type { EmitFormat } from './formats.ts';
import { emitIam, type IamOptions } from './iam.ts';
import { type PhysicalOptions, type PhysicalTable, physicalTables } from './physical-table.ts';
import { emitTerraform } from './terraform.ts';
import { emitWorkbench } from './workbench.ts';

/** Options of `emit`, as far as a format takes them. */
export interface EmitOptions extends PhysicalOptions, IamOptions {}

type Writer = (
  model: Model,
  design: Design,
  tables: readonly PhysicalTable[],
  options: EmitOptions,
) => string;

const writers: Readonly<Record<EmitFormat, Writer>> = {
  cloudformation: (model, _, tables) => emitCloudFormation(titleOf(model), tables),
  cdk: (model, _, tables) => emitCdk(model.name, titleOf(model), tables),
  terraform: (model, _, tables) => emitTerraform(titleOf(model), tables),
  'create-table': (_, __, tables) => emitCreateTable(tables),
  workbench: emitWorkbench,
  electrodb: emitElectroDb,
  'aws-schema': emitAwsSchema,
  'aws-data-model': emitAwsDataModel,
  'aws-cost-model': emitAwsCostModel,
  iam: (model, design, _, options) => emitIam(model, design, options),
};

/** The text of a design in a format. The same model and design always give the same text. */
export function emit(format: EmitFormat, asked: Model, design: Design, options: EmitOptions = {}): string {
  const model = storedModel(asked, design);
  return writers[format](model, design, physicalTables(model, design, options), options);
}

/** Formats that need no model, only tables. */
export type TableFormat = 'cloudformation' | 'cdk' | 'terraform' | 'create-table';

/** The text of tables that were made by hand. */
export function emitTables(format: TableFormat, name: string, tables: readonly PhysicalTable[]): string {
  const title = `${name}: a table with its indexes.`;
  switch (format) {
    case 'cloudformation':
      return emitCloudFormation(title, tables);
    case 'cdk':
      return emitCdk(name, title, tables);
    case 'terraform':
      return emitTerraform(title, tables);
    case 'create-table':
      return emitCreateTable(tables);
  }
}

function titleOf(model: Model): string {
  return `${model.name}: ${model.description ?? `tables of the model ${model.name}.`}`;
}
