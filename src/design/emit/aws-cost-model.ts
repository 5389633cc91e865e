import type { Design } from '../design.ts';
import type { Model, WritePattern } from '../ir.ts';
import { ModelFacts } from '../model-facts.ts';
import { isTransaction, itemsPerCall } from './capacity-forecast.ts';
import { keyAttributes, type PhysicalTable } from './physical-table.ts';
import { storedType } from './sample-items.ts';

/** `dynamodb_data_model.json` of AWS's agent toolkit, which its cost calculator and benchmark read. */
export function emitAwsCostModel(model: Model, design: Design, tables: readonly PhysicalTable[]): string {
  const facts = new ModelFacts(model);
  const bytesOf = (name: string) => Math.ceil(facts.itemBytes(facts.entity(name)));
  const document = {
    tables: design.tables.map((table, at) => {
      const physical = tables[at]!;
      return {
        table_name: table.name,
        key_schema: { partition_key: table.partitionKey, sort_key: table.sortKey },
        attribute_definitions: keyAttributes(physical).map(({ name, type }) => ({
          attribute_name: name,
          attribute_type: type,
        })),
        entities: table.entities.map((name) => {
          const entity = facts.entity(name);
          const slots = table.placements.filter((one) => one.entity === name).map(({ slot }) => slot);
          const keys = table.indexes.filter((one) => slots.includes(one.name));
          return {
            entity_name: name,
            estimated_item_size_bytes: bytesOf(name),
            estimated_item_count: Math.ceil(facts.total(entity)),
            attributes: [
              ...[table, ...keys].flatMap(({ partitionKey, sortKey }) => [
                { name: partitionKey, type: 'S' },
                { name: sortKey, type: 'S' },
              ]),
              ...entity.attributes.map((one) => ({ name: one.name, type: storedType(one) })),
            ],
          };
        }),
        gsis: table.indexes
          .filter(({ kind }) => kind === 'global')
          .map(({ name, partitionKey, sortKey, projection }) => ({
            index_name: name,
            partition_key: partitionKey,
            sort_key: sortKey,
            projection: {
              type: projection.type,
              ...(projection.type === 'INCLUDE' ? { attributes: projection.names } : {}),
            },
          })),
        ...(physical.streamView === undefined
          ? {}
          : { streams: { enabled: true, view_type: physical.streamView } }),
      };
    }),
    access_patterns: [
      ...design.tables.flatMap((table) =>
        table.plans.map((plan) => {
          const pattern = model.reads.find(({ name }) => name === plan.pattern)!;
          const counts = plan.entities.map((name) => itemsPerCall(facts, pattern, facts.entity(name)));
          const items = counts.reduce((sum, count) => sum + count, 0);
          const bytes = plan.entities.reduce((sum, name, at) => sum + bytesOf(name) * counts[at]!, 0);
          return {
            pattern_id: plan.pattern,
            description: pattern.description ?? '',
            operation: plan.operation,
            table: table.name,
            ...(plan.slot === 'table' ? {} : { index: plan.slot }),
            peak_rps: pattern.rate.peak,
            avg_rps: pattern.rate.mean,
            estimated_item_size_bytes: Math.max(1, Math.ceil(bytes / Math.max(1, items))),
            items_per_request: Math.max(1, Math.round(items)),
            consistency: pattern.consistency,
          };
        }),
      ),
      ...model.writes.map((write) => writeOf(facts, design, write, bytesOf)),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function writeOf(facts: ModelFacts, design: Design, write: WritePattern, bytesOf: (name: string) => number) {
  const [first] = write.steps;
  const table = design.tables.find(({ entities }) => entities.includes(first!.entity))!;
  const common = {
    pattern_id: write.name,
    description: write.description ?? '',
    table: table.name,
    peak_rps: write.rate.peak,
    avg_rps: write.rate.mean,
  };
  const sizes = write.steps.flatMap((step) => Array<number>(step.count).fill(bytesOf(step.entity)));
  if (write.steps.length > 1 || first!.count > 1) {
    return {
      ...common,
      operation: isTransaction(facts, design, write) ? 'TransactWriteItems' : 'BatchWriteItem',
      items_per_request: sizes.length,
      item_sizes: sizes,
      entities_written: write.steps.map(({ entity, count }) => ({ entity, count })),
    };
  }
  const step = first!;
  const touched =
    step.kind === 'change'
      ? step.sets.map(({ attribute }) => attribute)
      : step.kind === 'count'
        ? [step.attribute]
        : [];
  const operation = {
    create: 'PutItem',
    change: 'UpdateItem',
    count: 'UpdateItem',
    remove: 'DeleteItem',
    require: 'GetItem',
  }[step.kind];
  return {
    ...common,
    operation,
    estimated_item_size_bytes: bytesOf(step.entity),
    entities_written: [step.entity],
    ...(touched.length === 0 ? {} : { attributes_written: touched }),
  };
}
