// biome-ignore-all lint/suspicious/noTemplateCurlyInString: template literals of the emitted program contain the sign.
import { iteratorAgeMs, throttleMinutes, watchedOperations } from './alarms.ts';
import { type CapacityRange, targetUtilization } from './capacity-forecast.ts';
import { camelCase, pascalCase } from './identifiers.ts';
import type { KeyAttribute, PhysicalIndex, PhysicalTable } from './physical-table.ts';

/** A CDK construct in TypeScript, with one `TableV2` for each table, auto scaling inside of it, and alarms. */
export function emitCdk(name: string, title: string, tables: readonly PhysicalTable[]): string {
  const className = `${pascalCase(name)}Tables`;
  const consumers = [...new Set(tables.flatMap((table) => table.consumers))];
  const lines = [
    `/** ${title} */`,
    "import { Duration, RemovalPolicy } from 'aws-cdk-lib';",
    "import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';",
    "import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';",
    "import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';",
    "import type * as kms from 'aws-cdk-lib/aws-kms';",
    ...(consumers.length === 0 ? [] : ["import type * as lambda from 'aws-cdk-lib/aws-lambda';"]),
    "import type * as sns from 'aws-cdk-lib/aws-sns';",
    "import { Construct } from 'constructs';",
    '',
    `export interface ${className}Props {`,
    '  /** Ends the names of tables and alarms; prod also protects the tables from deletion. */',
    '  readonly environment: string;',
    `  /** The mode of all tables; ${tables[0]!.billing} unless given. Provisioned tables scale within the ranges below. */`,
    "  readonly billing?: 'on-demand' | 'provisioned';",
    '  /** Ranges that replace the ones below, by table and table/index. */',
    '  readonly capacity?: Readonly<Record<string, CapacityRange>>;',
    '  /** The topic that alarms go to. */',
    '  readonly alarmTopic?: sns.ITopic;',
    '  /** A key that encrypts the tables, instead of the one that AWS owns. */',
    '  readonly encryptionKey?: kms.IKey;',
    ...(consumers.length === 0
      ? []
      : [
          '  /** Functions that read the streams. Their distance from the end of the stream is watched. */',
          `  readonly consumers?: { ${consumers.map((one) => `readonly ${camelCase(one)}?: lambda.IFunction`).join('; ')} };`,
        ]),
    '}',
    '',
    '/** Units between which auto scaling moves. */',
    'export interface CapacityRange {',
    '  readonly readMin: number;',
    '  readonly readMax: number;',
    '  readonly writeMin: number;',
    '  readonly writeMax: number;',
    '}',
    '',
    "/** From what the model's mean rates need to twice what its peaks need. */",
    'const forecast: Readonly<Record<string, CapacityRange>> = {',
    ...tables.flatMap((table) => [
      `  '${table.name}': ${rangeText(table.capacity)},`,
      ...globals(table).map((index) => `  '${table.name}/${index.name}': ${rangeText(index.capacity)},`),
    ]),
    '};',
    '',
    `export class ${className} extends Construct {`,
    ...tables.map((table) => `  readonly ${camelCase(table.name)}: dynamodb.TableV2;`),
    '',
    `  constructor(scope: Construct, id: string, props: ${className}Props) {`,
    '    super(scope, id);',
    `    const { environment, billing = '${tables[0]!.billing}' } = props;`,
    "    const isProduction = environment === 'prod';",
    "    const isProvisioned = billing === 'provisioned';",
    '    const encryption =',
    '      props.encryptionKey === undefined',
    '        ? undefined',
    '        : dynamodb.TableEncryptionV2.customerManagedKey(props.encryptionKey);',
    '',
    '    const scaled = (min: number, max: number) =>',
    `      dynamodb.Capacity.autoscaled({ minCapacity: min, maxCapacity: max, targetUtilizationPercent: ${targetUtilization} });`,
    '    /** Auto scaling of a table or index; nothing on demand. */',
    '    const capacityOf = (name: string) => {',
    '      const { readMin, readMax, writeMin, writeMax } = props.capacity?.[name] ?? forecast[name]!;',
    '      return { readCapacity: scaled(readMin, readMax), writeCapacity: scaled(writeMin, writeMax) };',
    '    };',
    '    const billingOf = (name: string) =>',
    '      isProvisioned ? dynamodb.Billing.provisioned(capacityOf(name)) : dynamodb.Billing.onDemand();',
    '',
    ...tables.flatMap((table) => tableLines(table).map((line) => (line === '' ? '' : `    ${line}`))),
    '    const alarms: cloudwatch.Alarm[] = [];',
    `    for (const { name, table, indexes } of [`,
    ...tables.map((table) => {
      const names = globals(table).map((index) => `'${index.name}'`);
      return `      { name: '${table.name}', table: this.${camelCase(table.name)}, indexes: [${names.join(', ')}] },`;
    }),
    '    ]) {',
    '      for (const index of [undefined, ...indexes]) {',
    "        for (const direction of ['Read', 'Write'] as const) {",
    '          const where = index === undefined ? name : `${name}-${index}`;',
    '          const throttles = new cloudwatch.Metric({',
    "            namespace: 'AWS/DynamoDB',",
    '            metricName: `${direction}ThrottleEvents`,',
    '            dimensionsMap: {',
    '              TableName: table.tableName,',
    '              ...(index === undefined ? {} : { GlobalSecondaryIndexName: index }),',
    '            },',
    "            statistic: 'Sum',",
    '            period: Duration.minutes(1),',
    '          });',
    '          alarms.push(',
    '            new cloudwatch.Alarm(this, `${where}${direction}Throttles`, {',
    '              alarmName: `${where}-${direction.toLowerCase()}-throttles-${environment}`,',
    `              alarmDescription: \`\${direction}s of \${where} have been throttled for ${throttleMinutes} minutes.\`,`,
    '              metric: throttles,',
    '              threshold: 0,',
    `              evaluationPeriods: ${throttleMinutes},`,
    '              comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,',
    '              treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,',
    '            }),',
    '          );',
    '        }',
    '      }',
    '      alarms.push(',
    '        new cloudwatch.Alarm(this, `${name}SystemErrors`, {',
    '          alarmName: `${name}-system-errors-${environment}`,',
    '          alarmDescription: `The service fails requests to table ${name} with errors of its own.`,',
    '          metric: table.metricSystemErrorsForOperations({',
    '            operations: [',
    ...watchedOperations.map((operation) => `              dynamodb.Operation.${snakeUpper(operation)},`),
    '            ],',
    '            period: Duration.minutes(1),',
    '          }),',
    '          threshold: 0,',
    '          evaluationPeriods: 1,',
    '          comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,',
    '          treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,',
    '        }),',
    '      );',
    '    }',
    ...(consumers.length === 0
      ? []
      : [
          '    for (const [consumer, reader] of Object.entries(props.consumers ?? {})) {',
          '      alarms.push(',
          '        new cloudwatch.Alarm(this, `${consumer}IteratorAge`, {',
          '          alarmName: `${consumer}-iterator-age-${environment}`,',
          `          alarmDescription: \`\${consumer} reads the stream more than ${iteratorAgeMs / 1_000} seconds late.\`,`,
          "          metric: reader.metric('IteratorAge', { statistic: 'Maximum', period: Duration.minutes(1) }),",
          `          threshold: ${iteratorAgeMs},`,
          '          evaluationPeriods: 5,',
          '          comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,',
          '          treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,',
          '        }),',
          '      );',
          '    }',
        ]),
    '    if (props.alarmTopic !== undefined) {',
    '      const action = new actions.SnsAction(props.alarmTopic);',
    '      for (const alarm of alarms) alarm.addAlarmAction(action);',
    '    }',
    '  }',
    '}',
    '',
  ];
  return lines.join('\n');
}

function globals(table: PhysicalTable): PhysicalIndex[] {
  return table.indexes.filter(({ kind }) => kind === 'global');
}

function rangeText({ readMin, readMax, writeMin, writeMax }: CapacityRange): string {
  return `{ readMin: ${readMin}, readMax: ${readMax}, writeMin: ${writeMin}, writeMax: ${writeMax} }`;
}

/** `GetItem` → `GET_ITEM`, as CDK's enumeration spells operations. */
function snakeUpper(operation: string): string {
  return operation.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
}

const typeNames = { S: 'STRING', N: 'NUMBER', B: 'BINARY' } as const;

function keyText({ name, type }: KeyAttribute): string {
  return `{ name: '${name}', type: dynamodb.AttributeType.${typeNames[type]} }`;
}

/** One key or several, in the words that `TableV2` has for either. */
function indexKeys({ kind, hash, range }: PhysicalIndex): string[] {
  const words = (one: string, several: string, keys: readonly KeyAttribute[]) => {
    if (keys.length === 0) return [];
    if (keys.length === 1) return [`${one}: ${keyText(keys[0]!)},`];
    return [`${several}: [`, ...keys.map((key) => `  ${keyText(key)},`), '],'];
  };
  const sort = words('sortKey', 'sortKeys', range);
  return kind === 'local' ? sort : [...words('partitionKey', 'partitionKeys', hash), ...sort];
}

function indexLines(table: PhysicalTable, index: PhysicalIndex): string[] {
  const { projection } = index;
  const name = `'${table.name}/${index.name}'`;
  const type = { ALL: 'ALL', KEYS_ONLY: 'KEYS_ONLY', INCLUDE: 'INCLUDE' }[projection.type];
  return [
    `// ${index.description}`,
    '{',
    `  indexName: '${index.name}',`,
    ...indexKeys(index).map((line) => `  ${line}`),
    `  projectionType: dynamodb.ProjectionType.${type},`,
    ...(projection.type === 'INCLUDE'
      ? [`  nonKeyAttributes: [${projection.names.map((one) => `'${one}'`).join(', ')}],`]
      : []),
    ...(index.kind === 'global' ? [`  ...(isProvisioned ? capacityOf(${name}) : {}),`] : []),
    '},',
  ];
}

function tableLines(table: PhysicalTable): string[] {
  const { partitionKey, sortKey, ttlAttribute, streamView } = table;
  const views = {
    KEYS_ONLY: 'KEYS_ONLY',
    NEW_IMAGE: 'NEW_IMAGE',
    OLD_IMAGE: 'OLD_IMAGE',
    NEW_AND_OLD_IMAGES: 'NEW_AND_OLD_IMAGES',
  } as const;
  const list = (name: string, kind: 'global' | 'local') => {
    const own = table.indexes.filter((index) => index.kind === kind);
    if (own.length === 0) return [];
    const inner = own.flatMap((index) => indexLines(table, index));
    return [`  ${name}: [`, ...inner.map((line) => `    ${line}`), '  ],'];
  };
  return [
    `// ${table.description}`,
    `this.${camelCase(table.name)} = new dynamodb.TableV2(this, '${pascalCase(table.name)}', {`,
    `  tableName: \`${table.name}-\${environment}\`,`,
    `  partitionKey: ${keyText(partitionKey)},`,
    ...(sortKey === undefined ? [] : [`  sortKey: ${keyText(sortKey)},`]),
    `  billing: billingOf('${table.name}'),`,
    ...list('globalSecondaryIndexes', 'global'),
    ...list('localSecondaryIndexes', 'local'),
    ...(streamView === undefined ? [] : [`  dynamoStream: dynamodb.StreamViewType.${views[streamView]},`]),
    ...(ttlAttribute === undefined ? [] : [`  timeToLiveAttribute: '${ttlAttribute}',`]),
    `  pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: ${table.pointInTimeRecovery} },`,
    `  contributorInsightsSpecification: { enabled: ${table.contributorInsights} },`,
    '  ...(encryption === undefined ? {} : { encryption }),',
    '  deletionProtection: isProduction,',
    '  removalPolicy: RemovalPolicy.RETAIN,',
    '});',
    '',
  ];
}
