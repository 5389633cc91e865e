// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Terraform's own expressions contain the sign.
import type { Projection } from '../design.ts';
import { iteratorAgeMs, throttleMinutes, usageThreshold, watchedOperations } from './alarms.ts';
import { targetUtilization } from './capacity-forecast.ts';
import { type HclBlock, hclAttribute, hclBlock, hclObject, quoted, writeHcl } from './hcl.ts';
import { snakeCase } from './identifiers.ts';
import {
  capacityArms,
  type KeyAttribute,
  keyAttributes,
  type PhysicalIndex,
  type PhysicalTable,
} from './physical-table.ts';

/**
 * A Terraform module in one file: variables, tables, auto scaling, Contributor Insights and alarms. Index keys are
 * `key_schema` blocks, which the provider has from version 6.29 on.
 */
export function emitTerraform(title: string, tables: readonly PhysicalTable[]): string {
  const consumers = [...new Set(tables.flatMap((table) => table.consumers))];
  const blocks = [
    hclBlock(
      'terraform',
      [
        hclAttribute('required_version', quoted('>= 1.5')),
        hclBlock('required_providers', [
          hclAttribute(
            'aws',
            hclObject([
              ['source', quoted('hashicorp/aws')],
              ['version', quoted('>= 6.29')],
            ]),
          ),
        ]),
      ],
      title,
    ),
    ...variables(tables, consumers),
    locals(tables),
    ...tables.map(tableBlock),
    ...scaling(tables),
    ...insights(tables),
    ...alarms(tables, consumers),
    ...outputs(tables),
  ];
  return writeHcl(blocks);
}

/** The name of a table or index in `var.capacity`. */
function armName(table: PhysicalTable, index: PhysicalIndex | undefined): string {
  return index === undefined ? table.name : `${table.name}/${index.name}`;
}

function variables(tables: readonly PhysicalTable[], consumers: readonly string[]): HclBlock[] {
  const variable = (name: string, description: string, type: string, fallback: string) =>
    hclBlock(`variable ${quoted(name)}`, [
      hclAttribute('description', quoted(description)),
      hclAttribute('type', type),
      hclAttribute('default', fallback),
    ]);
  const ranges = tables.flatMap((table) =>
    capacityArms(table).map(({ index, capacity }): [string, string] => {
      const { readMin, readMax, writeMin, writeMax } = capacity;
      const text = `{ read_min = ${readMin}, read_max = ${readMax}, write_min = ${writeMin}, write_max = ${writeMax} }`;
      return [quoted(armName(table, index)), text];
    }),
  );
  return [
    variable(
      'environment',
      'Ends the names of tables and alarms; prod also protects the tables from deletion.',
      'string',
      quoted('dev'),
    ),
    variable(
      'billing_mode',
      'PAY_PER_REQUEST, or PROVISIONED with auto scaling.',
      'string',
      quoted(tables[0]!.billing === 'on-demand' ? 'PAY_PER_REQUEST' : 'PROVISIONED'),
    ),
    variable(
      'target_utilization',
      'The percentage of provisioned units that auto scaling aims at.',
      'number',
      String(targetUtilization),
    ),
    variable(
      'capacity',
      'The units between which auto scaling moves, by table and table/index.',
      'map(object({ read_min = number, read_max = number, write_min = number, write_max = number }))',
      hclObject(ranges),
    ),
    variable('alarm_topic_arn', 'The SNS topic that alarms go to.', 'string', 'null'),
    variable(
      'kms_key_arn',
      'The KMS key that encrypts the tables, instead of the one that AWS owns.',
      'string',
      'null',
    ),
    ...(consumers.length === 0
      ? []
      : [
          variable(
            'consumer_functions',
            `Lambda functions that read the streams, by consumer: ${consumers.join(', ')}.`,
            'map(string)',
            '{}',
          ),
        ]),
  ];
}

function locals(tables: readonly PhysicalTable[]): HclBlock {
  const arms = tables.flatMap((table) =>
    capacityArms(table).map(({ index }): [string, string] => [
      quoted(armName(table, index)),
      `{ table = ${resource(table)}.name, index = ${index === undefined ? 'null' : quoted(index.name)} }`,
    ]),
  );
  return hclBlock('locals', [
    hclAttribute('provisioned', 'var.billing_mode == "PROVISIONED"'),
    hclAttribute('alarm_actions', 'var.alarm_topic_arn == null ? [] : [var.alarm_topic_arn]'),
    '',
    'Everything that has capacity of its own.',
    hclAttribute('arms', hclObject(arms)),
    '',
    'Each of them once for reads and once for writes.',
    hclAttribute(
      'dimensions',
      [
        'merge([',
        '  for direction in ["read", "write"] : {',
        '    for name, arm in local.arms : "${name} ${direction}" => {',
        '      table     = arm.table',
        '      index     = arm.index',
        '      direction = title(direction)',
        '      min       = direction == "read" ? var.capacity[name].read_min : var.capacity[name].write_min',
        '      max       = direction == "read" ? var.capacity[name].read_max : var.capacity[name].write_max',
        '      dimensions = {',
        '        for key, value in { TableName = arm.table, GlobalSecondaryIndexName = arm.index } : key => value if value != null',
        '      }',
        '    }',
        '  }',
        ']...)',
      ].join('\n'),
    ),
  ]);
}

function resource(table: PhysicalTable): string {
  return `aws_dynamodb_table.${snakeCase(table.name)}`;
}

function projection(given: Projection) {
  return [
    hclAttribute('projection_type', quoted(given.type)),
    ...(given.type === 'INCLUDE' ? [hclAttribute('non_key_attributes', stringList(given.names))] : []),
  ];
}

function stringList(names: readonly string[]): string {
  const line = `[${names.map(quoted).join(', ')}]`;
  return line.length <= 90 ? line : ['[', ...names.map((name) => `  ${quoted(name)},`), ']'].join('\n');
}

function tableBlock(table: PhysicalTable): HclBlock {
  const { partitionKey, sortKey, ttlAttribute, streamView } = table;
  const units = (name: string, arm: string, direction: 'read' | 'write') =>
    hclAttribute(name, `local.provisioned ? var.capacity[${quoted(arm)}].${direction}_min : null`);
  const indexBlock = (index: PhysicalIndex): HclBlock => {
    const key = (kind: 'HASH' | 'RANGE') => (one: KeyAttribute) =>
      hclBlock('key_schema', [
        hclAttribute('attribute_name', quoted(one.name)),
        hclAttribute('key_type', quoted(kind)),
      ]);
    if (index.kind === 'local') {
      return hclBlock(
        'local_secondary_index',
        [
          hclAttribute('name', quoted(index.name)),
          hclAttribute('range_key', quoted(index.range[0]!.name)),
          ...projection(index.projection),
        ],
        index.description,
      );
    }
    const arm = armName(table, index);
    return hclBlock(
      'global_secondary_index',
      [
        hclAttribute('name', quoted(index.name)),
        ...projection(index.projection),
        units('read_capacity', arm, 'read'),
        units('write_capacity', arm, 'write'),
        ...index.hash.map(key('HASH')),
        ...index.range.map(key('RANGE')),
      ],
      index.description,
    );
  };
  return hclBlock(
    `resource "aws_dynamodb_table" ${quoted(snakeCase(table.name))}`,
    [
      hclAttribute('name', quoted(`${table.name}-\${var.environment}`)),
      hclAttribute('billing_mode', 'var.billing_mode'),
      hclAttribute('hash_key', quoted(partitionKey.name)),
      ...(sortKey === undefined ? [] : [hclAttribute('range_key', quoted(sortKey.name))]),
      units('read_capacity', table.name, 'read'),
      units('write_capacity', table.name, 'write'),
      ...(streamView === undefined
        ? []
        : [hclAttribute('stream_enabled', 'true'), hclAttribute('stream_view_type', quoted(streamView))]),
      hclAttribute('deletion_protection_enabled', 'var.environment == "prod"'),
      ...keyAttributes(table).map(({ name, type }) =>
        hclBlock('attribute', [hclAttribute('name', quoted(name)), hclAttribute('type', quoted(type))]),
      ),
      ...table.indexes.map(indexBlock),
      ...(ttlAttribute === undefined
        ? []
        : [
            hclBlock('ttl', [
              hclAttribute('attribute_name', quoted(ttlAttribute)),
              hclAttribute('enabled', 'true'),
            ]),
          ]),
      hclBlock('point_in_time_recovery', [hclAttribute('enabled', String(table.pointInTimeRecovery))]),
      hclBlock('server_side_encryption', [
        hclAttribute('enabled', 'var.kms_key_arn != null'),
        hclAttribute('kms_key_arn', 'var.kms_key_arn'),
      ]),
      hclBlock(
        'lifecycle',
        [hclAttribute('ignore_changes', '[read_capacity, write_capacity]')],
        'Auto scaling changes these. Add global_secondary_index while no index is about to change.',
      ),
    ],
    table.description,
  );
}

function scaling(tables: readonly PhysicalTable[]): HclBlock[] {
  if (tables.length === 0) return [];
  return [
    hclBlock('resource "aws_appautoscaling_target" "capacity"', [
      hclAttribute('for_each', 'local.provisioned ? local.dimensions : {}'),
      hclAttribute('service_namespace', quoted('dynamodb')),
      hclAttribute(
        'resource_id',
        'each.value.index == null ? "table/${each.value.table}" : "table/${each.value.table}/index/${each.value.index}"',
      ),
      hclAttribute(
        'scalable_dimension',
        '"dynamodb:${each.value.index == null ? "table" : "index"}:${each.value.direction}CapacityUnits"',
      ),
      hclAttribute('min_capacity', 'each.value.min'),
      hclAttribute('max_capacity', 'each.value.max'),
    ]),
    hclBlock('resource "aws_appautoscaling_policy" "capacity"', [
      hclAttribute('for_each', 'aws_appautoscaling_target.capacity'),
      hclAttribute('name', '"DynamoDB ${each.key} ${var.environment}"'),
      hclAttribute('policy_type', quoted('TargetTrackingScaling')),
      hclAttribute('service_namespace', 'each.value.service_namespace'),
      hclAttribute('resource_id', 'each.value.resource_id'),
      hclAttribute('scalable_dimension', 'each.value.scalable_dimension'),
      hclBlock('target_tracking_scaling_policy_configuration', [
        hclAttribute('target_value', 'var.target_utilization'),
        hclAttribute('scale_out_cooldown', '0'),
        hclAttribute('scale_in_cooldown', '60'),
        hclBlock('predefined_metric_specification', [
          hclAttribute(
            'predefined_metric_type',
            '"DynamoDB${local.dimensions[each.key].direction}CapacityUtilization"',
          ),
        ]),
      ]),
    ]),
  ];
}

function insights(tables: readonly PhysicalTable[]): HclBlock[] {
  if (!tables.some(({ contributorInsights }) => contributorInsights)) return [];
  return [
    hclBlock(
      'resource "aws_dynamodb_contributor_insights" "keys"',
      [
        hclAttribute('for_each', 'local.arms'),
        hclAttribute('table_name', 'each.value.table'),
        hclAttribute('index_name', 'each.value.index'),
      ],
      'The keys that are read, written and throttled most.',
    ),
  ];
}

function alarms(tables: readonly PhysicalTable[], consumers: readonly string[]): HclBlock[] {
  const common = [
    hclAttribute('comparison_operator', quoted('GreaterThanThreshold')),
    hclAttribute('treat_missing_data', quoted('notBreaching')),
    hclAttribute('alarm_actions', 'local.alarm_actions'),
  ];
  const names = tables.map(resource).map((name) => `${name}.name`);
  const throttles = hclBlock('resource "aws_cloudwatch_metric_alarm" "throttles"', [
    hclAttribute('for_each', 'local.dimensions'),
    hclAttribute('alarm_name', '"${replace(each.key, "/[ /]/", "-")}-throttles-${var.environment}"'),
    hclAttribute(
      'alarm_description',
      `"\${each.key} requests have been throttled for ${throttleMinutes} minutes."`,
    ),
    hclAttribute('namespace', quoted('AWS/DynamoDB')),
    hclAttribute('metric_name', '"${each.value.direction}ThrottleEvents"'),
    hclAttribute('dimensions', 'each.value.dimensions'),
    hclAttribute('statistic', quoted('Sum')),
    hclAttribute('period', '60'),
    hclAttribute('evaluation_periods', String(throttleMinutes)),
    hclAttribute('threshold', '0'),
    ...common,
  ]);
  const metric = (id: string, name: string, stat: string) =>
    hclBlock('metric_query', [
      hclAttribute('id', quoted(id)),
      hclBlock('metric', [
        hclAttribute('namespace', quoted('AWS/DynamoDB')),
        hclAttribute('metric_name', quoted(name)),
        hclAttribute('dimensions', 'each.value.dimensions'),
        hclAttribute('period', '60'),
        hclAttribute('stat', quoted(stat)),
      ]),
    ]);
  const usage = hclBlock('resource "aws_cloudwatch_metric_alarm" "usage"', [
    hclAttribute('for_each', 'local.provisioned ? local.dimensions : {}'),
    hclAttribute('alarm_name', '"${replace(each.key, "/[ /]/", "-")}-usage-${var.environment}"'),
    hclAttribute('alarm_description', `"\${each.key} uses more than ${usageThreshold} % of its units."`),
    hclAttribute('evaluation_periods', String(throttleMinutes)),
    hclAttribute('threshold', String(usageThreshold)),
    ...common,
    hclBlock('metric_query', [
      hclAttribute('id', quoted('usage')),
      hclAttribute('expression', quoted('100 * consumed / PERIOD(consumed) / provisioned')),
      hclAttribute('label', quoted('percent of provisioned units')),
      hclAttribute('return_data', 'true'),
    ]),
    metric('consumed', 'Consumed${each.value.direction}CapacityUnits', 'Sum'),
    metric('provisioned', 'Provisioned${each.value.direction}CapacityUnits', 'Average'),
  ]);
  const errors = hclBlock('resource "aws_cloudwatch_metric_alarm" "system_errors"', [
    hclAttribute('for_each', `toset([${names.join(', ')}])`),
    hclAttribute('alarm_name', '"${each.key}-system-errors"'),
    hclAttribute(
      'alarm_description',
      '"The service fails requests to table ${each.key} with errors of its own."',
    ),
    hclAttribute('evaluation_periods', '1'),
    hclAttribute('threshold', '0'),
    ...common,
    hclBlock('metric_query', [
      hclAttribute('id', quoted('errors')),
      hclAttribute('expression', quoted('SUM(METRICS())')),
      hclAttribute('label', quoted('server errors')),
      hclAttribute('return_data', 'true'),
    ]),
    hclBlock('dynamic "metric_query"', [
      hclAttribute('for_each', stringList(watchedOperations)),
      hclBlock('content', [
        hclAttribute('id', '"of${metric_query.value}"'),
        hclBlock('metric', [
          hclAttribute('namespace', quoted('AWS/DynamoDB')),
          hclAttribute('metric_name', quoted('SystemErrors')),
          hclAttribute('dimensions', '{ TableName = each.key, Operation = metric_query.value }'),
          hclAttribute('period', '60'),
          hclAttribute('stat', quoted('Sum')),
        ]),
      ]),
    ]),
  ]);
  if (consumers.length === 0) return [throttles, usage, errors];
  const age = hclBlock('resource "aws_cloudwatch_metric_alarm" "iterator_age"', [
    hclAttribute('for_each', 'var.consumer_functions'),
    hclAttribute('alarm_name', '"${each.key}-iterator-age-${var.environment}"'),
    hclAttribute(
      'alarm_description',
      `"\${each.key} reads the stream more than ${iteratorAgeMs / 1_000} seconds late."`,
    ),
    hclAttribute('namespace', quoted('AWS/Lambda')),
    hclAttribute('metric_name', quoted('IteratorAge')),
    hclAttribute('dimensions', '{ FunctionName = each.value }'),
    hclAttribute('statistic', quoted('Maximum')),
    hclAttribute('period', '60'),
    hclAttribute('evaluation_periods', '5'),
    hclAttribute('threshold', String(iteratorAgeMs)),
    ...common,
  ]);
  return [throttles, usage, errors, age];
}

function outputs(tables: readonly PhysicalTable[]): HclBlock[] {
  return tables.flatMap((table) => [
    hclBlock(`output ${quoted(`${snakeCase(table.name)}_table_name`)}`, [
      hclAttribute('value', `${resource(table)}.name`),
    ]),
    ...(table.streamView === undefined
      ? []
      : [
          hclBlock(`output ${quoted(`${snakeCase(table.name)}_stream_arn`)}`, [
            hclAttribute('value', `${resource(table)}.stream_arn`),
          ]),
        ]),
  ]);
}
