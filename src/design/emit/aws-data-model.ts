import type { Design, Plan, TableDesign } from '../design.ts';
import type { Entity, Model, ReadPattern } from '../ir.ts';
import { attributeText, keyText, type PlainValue } from '../key-text.ts';
import { physicalRequest } from './create-table.ts';
import type { PhysicalTable } from './physical-table.ts';
import { dynamoJson, holds, type SampleInstance, sampleInstances, sampleRows } from './sample-items.ts';

/**
 * `dynamodb_data_model.json` of AWS's DynamoDB MCP server: tables, sample items, and a command for each access pattern
 * that finds some of them. The server's validation, and Stator, run the commands.
 */
export function emitAwsDataModel(model: Model, design: Design, tables: readonly PhysicalTable[]): string {
  const instances = sampleInstances(model, design);
  const document = {
    tables: tables.map((table) => ({
      ...physicalRequest(table),
      ...(table.ttlAttribute === undefined
        ? {}
        : { TimeToLiveSpecification: { Enabled: true, AttributeName: table.ttlAttribute } }),
    })),
    items: Object.fromEntries(
      design.tables.map((table) => [
        table.name,
        sampleRows(model, table, instances).map((row) => ({
          PutRequest: {
            Item: dynamoJson(model.entities.find(({ name }) => name === row.entity)!, row),
          },
        })),
      ]),
    ),
    access_patterns: [
      ...design.tables.flatMap((table) =>
        table.plans.map((plan) => {
          const pattern = model.reads.find(({ name }) => name === plan.pattern)!;
          return {
            pattern: plan.pattern,
            description: pattern.description ?? plan.pattern,
            table: table.name,
            ...(plan.slot === 'table' ? {} : { index: plan.slot }),
            dynamodb_operation: plan.operation,
            implementation: commandOf(model, table, plan, pattern, instances),
          };
        }),
      ),
      ...model.writes.map((write) => ({
        pattern: write.name,
        description: write.description ?? write.name,
        reason: 'A write: the sample items are already in place.',
      })),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** One command of the AWS CLI that answers a pattern for a sample item. */
function commandOf(
  model: Model,
  table: TableDesign,
  plan: Plan,
  pattern: ReadPattern,
  instances: ReadonlyMap<string, readonly SampleInstance[]>,
): string {
  const entity = model.entities.find(({ name }) => name === plan.entities[0])!;
  const placement = table.placements.find(
    (one) => one.entity === entity.name && one.slot === plan.slot && one.copy === plan.copy,
  )!;
  const all = instances.get(entity.name)! as readonly Readonly<Record<string, PlainValue | undefined>>[];
  const inSlot = (one: Readonly<Record<string, PlainValue | undefined>>) =>
    [...placement.when, ...pattern.where].every((predicate) => holds(predicate, one)) &&
    keyText(entity, placement.partition, one) !== undefined &&
    keyText(entity, placement.sort, one) !== undefined;
  const sample = all.find(inSlot) ?? all[0]!;
  const partition = keyText(entity, placement.partition, sample) ?? '';
  const base = `aws dynamodb ${plan.operation === 'GetItem' ? 'get-item' : 'query'} --table-name ${table.name}`;
  const strong = pattern.consistency === 'strong' ? ' --consistent-read' : '';
  const sort = sortTexts(entity, plan, pattern, sample);
  if (plan.operation === 'GetItem') {
    const key = { [table.partitionKey]: { S: partition }, [table.sortKey]: { S: sort[0]! } };
    return `${base} --key '${JSON.stringify(key)}'${strong}`;
  }
  const index = table.indexes.find(({ name }) => name === plan.slot);
  const names = index ?? table;
  const conditions = {
    none: '',
    equals: ` AND ${names.sortKey} = :a`,
    prefix: ` AND begins_with(${names.sortKey}, :a)`,
    between: ` AND ${names.sortKey} BETWEEN :a AND :b`,
  };
  const values: Record<string, unknown> = { ':p': { S: partition } };
  if (sort[0] !== undefined) values[':a'] = { S: sort[0] };
  if (sort[1] !== undefined) values[':b'] = { S: sort[1] };
  return (
    [
      base,
      ...(index === undefined ? [] : [`--index-name ${index.name}`]),
      `--key-condition-expression '${names.partitionKey} = :p${conditions[plan.sort.kind]}'`,
      `--expression-attribute-values '${JSON.stringify(values)}'`,
      ...(plan.limit === 'all' ? [] : [`--limit ${plan.limit}`]),
      ...(plan.forward ? [] : ['--no-scan-index-forward']),
    ].join(' ') + strong
  );
}

function sortTexts(
  entity: Entity,
  { sort }: Plan,
  pattern: ReadPattern,
  sample: Readonly<Record<string, PlainValue | undefined>>,
): string[] {
  const text = (template: string, bound: 'first' | 'last') =>
    template.replace(/\{([^}…]+)(\}|…\}?)/g, (_, word: string, end: string) => {
      const name = word.replace(/^inverted /, '');
      const range = pattern.range?.attribute;
      if (name === 'from' || name === 'to') return rangeEnd(entity, range!, bound);
      const attribute = entity.attributes.find((one) => one.name === name);
      if (attribute === undefined) return '';
      const value = attributeText(attribute, sample[name]!, word !== name);
      return end.startsWith('…') ? value.slice(0, 3) : value;
    });
  switch (sort.kind) {
    case 'none':
      return [];
    case 'between':
      return [text(sort.from, 'first'), text(sort.to, 'last')];
    default:
      return [text(sort.text, 'first')];
  }
}

/** The least and the greatest text that a range over all samples needs. */
function rangeEnd(entity: Entity, name: string, bound: 'first' | 'last'): string {
  const { type } = entity.attributes.find((one) => one.name === name)!;
  if (type.kind === 'time')
    return bound === 'first' ? '2026-01-01T00:00:00.000Z' : '2027-01-01T00:00:00.000Z';
  if (type.kind === 'date') return bound === 'first' ? '2026-01-01' : '2027-01-01';
  if (type.kind === 'number') return (bound === 'first' ? '0' : '9').repeat(type.digits + type.decimals);
  return bound === 'first' ? '!' : '~';
}
