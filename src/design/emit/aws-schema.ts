import type { Design, Plan, TableDesign } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Attribute, Entity, Model, ReadPattern, WritePattern, WriteStep } from '../ir.ts';
import { ModelFacts } from '../model-facts.ts';
import { isTransaction } from './capacity-forecast.ts';
import { snakeCase } from './identifiers.ts';
import { fieldTemplate } from './key-fields.ts';
import { settingsOutline } from './settings-outline.ts';

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly entity_type?: string;
}

/**
 * `schema.json` of AWS's DynamoDB MCP server, from which it generates repositories. Parts of keys that its templates
 * cannot compute are fields of their own.
 */
export function emitAwsSchema(asked: Model, design: Design): string {
  const model = storedModel(asked, design);
  const facts = new ModelFacts(model);
  let id = 0;
  const nextId = () => ++id;
  const tables = design.tables.map((table) => ({
    table_config: {
      table_name: table.name,
      partition_key: table.partitionKey,
      sort_key: table.sortKey,
    },
    gsi_list: table.indexes
      .filter(({ kind }) => kind === 'global')
      .map(({ name, partitionKey, sortKey, projection }) => ({
        name,
        partition_key: partitionKey,
        sort_key: sortKey,
        projection: projection.type,
        ...(projection.type === 'INCLUDE' ? { included_attributes: projection.names } : {}),
      })),
    entities: Object.fromEntries(
      table.entities.map((name) => [
        name,
        entityOf(facts, design, table, model.entities.find((one) => one.name === name)!, nextId),
      ]),
    ),
  }));
  const crossing = model.writes.filter((write) => isCrossing(facts, design, write));
  const patterns = crossing.map((write) => transactionPattern(model, design, write, nextId()));
  const document = {
    tables,
    ...(patterns.length === 0 ? {} : { cross_table_access_patterns: patterns }),
    stator: settingsOutline(asked, design),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** Several items, or none at all, need a transaction. */
function isCrossing(facts: ModelFacts, design: Design, write: WritePattern): boolean {
  return write.steps.length > 1 && isTransaction(facts, design, write);
}

function entityOf(
  facts: ModelFacts,
  design: Design,
  table: TableDesign,
  entity: Entity,
  nextId: () => number,
) {
  const { model } = facts;
  const own = table.placements.filter((one) => one.entity === entity.name && one.copy === undefined);
  const base = own.find(({ slot }) => slot === 'table')!;
  const templates = own.map((placement) => ({
    placement,
    pk: fieldTemplate(entity, placement.partition),
    sk: fieldTemplate(entity, placement.sort),
  }));
  const added = new Map(
    templates.flatMap(({ pk, sk }) => [...pk.derived, ...sk.derived]).map((one) => [one.name, one] as const),
  );
  const first = templates.find(({ placement }) => placement === base)!;
  const reads = table.plans
    .filter((plan) => plan.entities[0] === entity.name)
    .map((plan) => readOf(model, plan, entity, nextId()));
  const writes = model.writes
    .filter((write) => !isCrossing(facts, design, write) && write.steps[0]?.entity === entity.name)
    .map((write) => writeOf(entity, write, write.steps[0]!, nextId()));
  return {
    entity_type: entity.name.toUpperCase(),
    pk_template: first.pk.template,
    sk_template: first.sk.template,
    gsi_mappings: templates
      .filter(({ placement }) => table.indexes.find((one) => one.name === placement.slot)?.kind === 'global')
      .map(({ placement, pk, sk }) => ({
        name: placement.slot,
        pk_template: pk.template,
        sk_template: sk.template,
      })),
    fields: [
      ...entity.attributes.map((attribute) => ({
        name: attribute.name,
        ...fieldType(attribute),
        required: attribute.optional !== true,
      })),
      ...[...added.values()].map(({ name }) => ({ name, type: 'string', required: true })),
    ],
    access_patterns: [...reads, ...writes],
  };
}

function fieldType({ type }: Attribute): { readonly type: string; readonly item_type?: string } {
  switch (type.kind) {
    case 'number':
      return { type: type.decimals === 0 ? 'integer' : 'decimal' };
    case 'epoch':
      return { type: 'integer' };
    case 'flag':
      return { type: 'boolean' };
    case 'map':
      return { type: 'object' };
    case 'list':
      return { type: 'array', item_type: 'string' };
    default:
      return { type: 'string' };
  }
}

function parameterOf(entity: Entity, name: string): Parameter {
  const attribute = entity.attributes.find((one) => one.name === name)!;
  return { name, type: fieldType(attribute).type };
}

function readOf(model: Model, plan: Plan, entity: Entity, id: number) {
  const pattern = model.reads.find(({ name }) => name === plan.pattern)!;
  const single = plan.operation === 'GetItem';
  const range = rangeOf(pattern, plan, entity);
  return {
    pattern_id: id,
    name: snakeCase(`${single ? 'get' : 'query'}_${plan.pattern}`),
    description: pattern.description ?? plan.pattern,
    operation: plan.operation,
    ...(plan.slot === 'table' ? {} : { index_name: plan.slot }),
    ...(range === undefined ? {} : { range_condition: range.condition }),
    parameters: [...pattern.by.map((name) => parameterOf(entity, name)), ...(range?.parameters ?? [])],
    return_type: pattern.entities.length > 1 ? 'mixed_data' : single ? 'single_entity' : 'entity_list',
    ...(pattern.consistency === 'strong' ? { consistent_read: true } : {}),
  };
}

/** The format takes a range only behind one partition parameter. */
function rangeOf(pattern: ReadPattern, plan: Plan, entity: Entity) {
  const { range } = pattern;
  if (range === undefined || pattern.by.length !== 1) return undefined;
  if (plan.sort.kind === 'none' || plan.sort.kind === 'equals') return undefined;
  const { type } = parameterOf(entity, range.attribute);
  const named = (name: string): Parameter => ({ name: `${range.attribute}_${name}`, type });
  return range.kind === 'prefix'
    ? { condition: 'begins_with', parameters: [named('prefix')] }
    : { condition: 'between', parameters: [named('from'), named('to')] };
}

const operations = {
  create: 'PutItem',
  change: 'UpdateItem',
  count: 'UpdateItem',
  remove: 'DeleteItem',
  require: 'GetItem',
} as const;

function stepParameters(entity: Entity, step: WriteStep): Parameter[] {
  if (step.kind === 'create')
    return [{ name: snakeCase(entity.name), type: 'entity', entity_type: entity.name }];
  const sets =
    step.kind === 'change' ? step.sets.filter(({ value, removed }) => value === undefined && !removed) : [];
  const names = [...step.given, ...sets.map(({ attribute }) => attribute)];
  return [...new Set(names)].map((name) => parameterOf(entity, name));
}

function writeOf(entity: Entity, write: WritePattern, step: WriteStep, id: number) {
  return {
    pattern_id: id,
    name: snakeCase(write.name),
    description: write.description ?? write.name,
    operation: operations[step.kind],
    parameters: stepParameters(entity, step),
    return_type: step.kind === 'remove' ? 'success_flag' : 'single_entity',
  };
}

const actions = {
  create: 'Put',
  change: 'Update',
  count: 'Update',
  remove: 'Delete',
  require: 'ConditionCheck',
} as const;

function transactionPattern(model: Model, design: Design, write: WritePattern, id: number) {
  const entityOf = (name: string) => model.entities.find((one) => one.name === name)!;
  const parameters = new Map<string, Parameter>();
  for (const step of write.steps)
    for (const one of stepParameters(entityOf(step.entity), step)) parameters.set(one.name, one);
  return {
    pattern_id: id,
    name: snakeCase(write.name),
    description: write.description ?? write.name,
    operation: 'TransactWrite',
    entities_involved: write.steps.map((step) => ({
      table: design.tables.find(({ entities }) => entities.includes(step.entity))!.name,
      entity: step.entity,
      action: actions[step.kind],
      ...(step.kind === 'create' && step.once ? { condition: 'attribute_not_exists(PK)' } : {}),
    })),
    parameters: [...parameters.values()],
    return_type: 'boolean',
  };
}
