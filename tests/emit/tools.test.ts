import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { generated, generatedPath, modelNames } from './generated-files.ts';

const run = promisify(execFile);
const tools = fileURLToPath(new URL('tools/', import.meta.url));
// CDK alone is 160 MB. Long runs install it; other runs use it where it is.
if (process.env.STATOR_TEST_LONG === '1' && !existsSync(join(tools, 'node_modules')))
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: tools, stdio: 'ignore' });
// `npm ci` in tests/emit/tools installs them; without them these tests are skipped.
const isInstalled = existsSync(join(tools, 'node_modules/aws-cdk-lib'));

type Json = Readonly<Record<string, unknown>>;

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, never>>;
}

describe.runIf(isInstalled)("the users' own tools", () => {
  const place = isInstalled ? mkdtempSync(join(tools, 'node_modules/.stator-')) : '';
  afterAll(() => {
    if (place !== '') rmSync(place, { recursive: true, force: true });
  });

  it('CDK synthesises the tables of the templates, on demand and provisioned', async () => {
    for (const model of modelNames) copyFileSync(generatedPath(model, 'cdk.ts'), join(place, `${model}.ts`));
    const program = `
      import { App, Stack } from 'aws-cdk-lib';
      import { Template, Match } from 'aws-cdk-lib/assertions';
      const answer = {};
      for (const model of ${JSON.stringify(modelNames)}) {
        const [Tables] = Object.values(await import('./' + model + '.ts'));
        answer[model] = [];
        for (const billing of ['on-demand', 'provisioned']) {
          const stack = new Stack(new App(), 'Stack');
          new Tables(stack, 'Tables', { environment: 'test', billing });
          const template = Template.fromStack(stack);
          template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
            BillingMode: billing === 'on-demand' ? 'PAY_PER_REQUEST' : 'PROVISIONED',
            Replicas: [Match.objectLike({ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } })],
          });
          template.hasResourceProperties('AWS::CloudWatch::Alarm', { MetricName: 'WriteThrottleEvents' });
          answer[model].push(template.toJSON().Resources);
        }
      }
      console.log(JSON.stringify(answer));
    `;
    const path = join(place, 'synthesise.ts');
    writeFileSync(path, program);
    writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
    const { stdout } = await run(process.execPath, ['--import', 'tsx', path], { maxBuffer: 1e8 });
    const answer = JSON.parse(stdout) as Readonly<
      Record<string, readonly Readonly<Record<string, Resource>>[]>
    >;
    for (const model of modelNames) {
      const requests = [JSON.parse(generated(model, 'create-table.json'))].flat() as readonly Json[];
      for (const resources of answer[model]!) {
        const made = Object.values(resources).filter(({ Type }) => Type === 'AWS::DynamoDB::GlobalTable');
        expect(made).toHaveLength(requests.length);
        for (const request of requests) {
          const { Properties: table } = made.find(
            ({ Properties }) => Properties.TableName === `${String(request.TableName)}-test`,
          )!;
          expect(table.KeySchema).toEqual(request.KeySchema);
          expect(table.StreamSpecification ?? {}).toEqual(
            request.StreamSpecification === undefined
              ? {}
              : { StreamViewType: (request.StreamSpecification as Json).StreamViewType },
          );
          const indexes = ((request.GlobalSecondaryIndexes ?? []) as readonly Json[]).map(indexShape);
          expect(((table.GlobalSecondaryIndexes ?? []) as readonly Json[]).map(indexShape)).toEqual(indexes);
        }
      }
    }
  });

  it('TypeScript accepts the constructs as a strict project has them', async () => {
    const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
    for (const model of modelNames) copyFileSync(generatedPath(model, 'cdk.ts'), join(place, `${model}.ts`));
    const { stdout } = await run(
      process.execPath,
      [
        ...[
          compiler,
          '--ignoreConfig',
          '--noEmit',
          '--strict',
          '--noUncheckedIndexedAccess',
          '--exactOptionalPropertyTypes',
        ],
        ...['--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', '--types', ''],
        ...modelNames.map((model) => `${model}.ts`),
      ],
      { cwd: place },
    ).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });

  it('an HCL parser reads the modules and finds the tables in them', async () => {
    const { parse } = createRequire(join(tools, 'package.json'))('@cdktf/hcl2json') as {
      parse(name: string, text: string): Promise<{ resource: Readonly<Record<string, Json>> }>;
    };
    for (const model of modelNames) {
      const { resource } = await parse('main.tf', generated(model, 'main.tf'));
      const requests = [JSON.parse(generated(model, 'create-table.json'))].flat() as readonly Json[];
      const tables = Object.values(resource.aws_dynamodb_table!).flat() as readonly Json[];
      expect(tables.map(({ name }) => name)).toEqual(
        requests.map(({ TableName }) => `${String(TableName)}-\${var.environment}`),
      );
      for (const [at, request] of requests.entries()) {
        const attributes = (tables[at]!.attribute as readonly Json[]).map(({ name, type }) => ({
          AttributeName: name,
          AttributeType: type,
        }));
        expect(attributes).toEqual(request.AttributeDefinitions);
        const indexes = ((tables[at]!.global_secondary_index ?? []) as readonly Json[]).map((index) => ({
          IndexName: index.name,
          KeySchema: (index.key_schema as readonly Json[]).map(({ attribute_name, key_type }) => ({
            AttributeName: attribute_name,
            KeyType: key_type,
          })),
          Projection: {
            ProjectionType: index.projection_type,
            ...(index.non_key_attributes === undefined ? {} : { NonKeyAttributes: index.non_key_attributes }),
          },
        }));
        expect(indexes).toEqual(((request.GlobalSecondaryIndexes ?? []) as readonly Json[]).map(indexShape));
      }
      expect(Object.keys(resource)).toEqual(
        expect.arrayContaining(['aws_appautoscaling_policy', 'aws_cloudwatch_metric_alarm']),
      );
    }
  });
});

function indexShape({ IndexName, KeySchema, Projection }: Json) {
  return { IndexName, KeySchema, Projection };
}
