/** Everything that a design can be written as: the name that the file usually has, and what it is. */
export const emitFormats = {
  cloudformation: {
    file: 'cloudformation.yaml',
    about: 'a CloudFormation template with auto scaling and alarms',
  },
  cdk: { file: 'cdk.ts', about: 'a CDK construct in TypeScript (TableV2)' },
  terraform: { file: 'main.tf', about: 'a Terraform module' },
  'create-table': { file: 'create-table.json', about: 'CreateTable requests' },
  workbench: { file: 'workbench.json', about: 'a NoSQL Workbench model with sample rows' },
  electrodb: { file: 'electrodb.ts', about: 'ElectroDB entities in TypeScript' },
  'aws-schema': { file: 'schema.json', about: "schema.json of AWS's DynamoDB MCP server" },
  'aws-data-model': {
    file: 'dynamodb_data_model.json',
    about: "dynamodb_data_model.json of AWS's DynamoDB MCP server, with sample items",
  },
  'aws-cost-model': {
    file: 'cost_model.json',
    about: "dynamodb_data_model.json of AWS's agent toolkit, for its cost calculator",
  },
  iam: { file: 'iam-policies.json', about: 'IAM policies, one for each actor' },
} as const;

/** The formats that `emit` writes. */
export type EmitFormat = keyof typeof emitFormats;
