import { finding } from '../check/subject.ts';
import type { Piece, ReadPattern, WriteStep } from '../ir.ts';
import { Draft, type DraftEntity, type Imported, nameOf, templatePieces, typeOf } from './draft.ts';
import type { Place } from './place.ts';
import { asItem, patternsFromRequests, type SeenRequest } from './request-shapes.ts';
import { entitiesFromItems } from './samples.ts';
import { declareIndexes, type IndexShape, rawKeys, type TableShape, tableShape } from './table-shape.ts';

const reading = ['GetItem', 'Query', 'Scan', 'BatchGetItem', 'TransactGetItems', 'SearchVectors'];

/** `dynamodb_data_model.json` of AWS's agent toolkit: tables with entities, and patterns with rates. */
export function fromAgentToolkit(file: Place, name: string): Imported {
  const draft = new Draft(name);
  for (const table of file.at('tables').list()) {
    const shape = toolkitTable(table);
    declareIndexes(draft, shape);
    const entities = table.at('entities').list();
    const several = entities.length > 1;
    for (const place of entities.length === 0 ? [undefined] : entities) {
      const entity = draft.entity(
        place?.at('entity_name').text() ?? shape.name,
        shape.name,
        place?.at('estimated_item_count').numberOr(100_000) ?? 100_000,
      );
      for (const one of place?.at('attributes').list() ?? [])
        entity.attributes.set(one.at('name').text(), {
          name: one.at('name').text(),
          type: typeOf(one.at('type').textOr('S'), one.at('name').text()),
        });
      entity.bytes = place?.at('estimated_item_size_bytes').numberOr(1_024) ?? 1_024;
      const own = shape.indexes.filter(({ partition, sort }) =>
        [...partition, ...sort].every((key) => entity.attributes.has(key) || !declared(entities, key)),
      );
      rawKeys(entity, { ...shape, indexes: own }, several ? entity.name.toUpperCase() : undefined);
      if (several)
        draft.note(
          `entity ${entity.name}`,
          'guessed',
          'the file has no key templates: its keys are taken to begin with its name',
        );
    }
  }
  const patterns = file.at('access_patterns').list();
  if (patterns.length === 0)
    file.at('access_patterns').fail('is empty: the toolkit, too, stops without patterns');
  for (const pattern of patterns) toolkitPattern(draft, pattern);
  return draft.imported('aws-agent-toolkit', "Imported from a design file of AWS's agent toolkit.");
}

function declared(entities: readonly Place[], key: string): boolean {
  return entities.some((one) =>
    one
      .at('attributes')
      .list()
      .some((each) => each.at('name').value === key),
  );
}

function toolkitTable(table: Place): TableShape {
  const keys = table.at('key_schema');
  const types = table.at('attribute_definitions').list();
  const sort = keys.exists ? keys.at('sort_key').textOr(undefined) : undefined;
  return {
    name: table.at('table_name').text(),
    partitionKey: keys.exists ? keys.at('partition_key').text() : 'PK',
    ...(sort === undefined ? {} : { sortKey: sort }),
    types: new Map(
      types.map((one) => [
        one.anyOf('attribute_name', 'name').text(),
        one.anyOf('attribute_type', 'type').text(),
      ]),
    ),
    indexes: table
      .at('gsis')
      .list()
      .map((one): IndexShape => {
        const projection = one.at('projection');
        const type = projection.exists
          ? projection.at('type').oneOf(['ALL', 'INCLUDE', 'KEYS_ONLY'], 'ALL')
          : 'ALL';
        const range = one.anyOf('sort_key', 'range_key').textOr(undefined);
        return {
          name: one.at('index_name').text(),
          kind: 'global',
          partition: [one.anyOf('partition_key', 'hash_key').text()],
          sort: range === undefined ? [] : [range],
          projection:
            type === 'INCLUDE'
              ? {
                  type,
                  names: projection
                    .anyOf('attributes', 'non_key_attributes', 'NonKeyAttributes')
                    .list()
                    .map((each) => each.text()),
                }
              : { type },
        };
      }),
  };
}

function toolkitPattern(draft: Draft, pattern: Place): void {
  const name = pattern.at('pattern_id').text();
  const operation = pattern.at('operation').text();
  const table = pattern.at('table').text();
  const slot = pattern.at('index').textOr('table');
  const members = [...draft.entities.values()].filter((one) => one.table === table);
  if (members.length === 0)
    pattern.at('table').fail(`names ${JSON.stringify(table)}, which is no table of the file`);
  const holding = members.filter(({ keys }) => keys.some((one) => one.slot === slot));
  if (holding.length === 0)
    pattern.at('index').fail(`names ${JSON.stringify(slot)}, which is no index of ${table}`);
  const description = pattern.at('description').textOr('');
  const named = holding.filter((one) => description.toLowerCase().includes(one.name.toLowerCase()));
  const entity = named[0] ?? holding[0]!;
  if (holding.length > 1)
    draft.note(
      name,
      named.length === 1 ? 'inferred' : 'guessed',
      `taken for ${entity.name}; the file does not say which entity it means`,
    );
  const peak = pattern.at('peak_rps').numberOr(0);
  const mean = pattern.at('avg_rps').numberOr(peak);
  const rate = { peak: Math.max(peak, mean), mean };
  const key = entity.keys.find((one) => one.slot === slot)!;
  const by = (pieces: readonly Piece[]) =>
    pieces.flatMap((one) => (one.kind === 'attribute' ? [one.attribute] : []));
  const items = pattern.at('items_per_request').numberOr(1);
  const base = [...new Set([...by(entity.keys[0]!.partition), ...by(entity.keys[0]!.sort)])];
  if (reading.includes(operation)) {
    if (operation === 'SearchVectors') {
      draft.note(name, 'left out', 'a model has no vector search');
      return;
    }
    const one = operation !== 'Query' && operation !== 'Scan';
    const given = operation === 'Scan' ? [] : one ? base : by(key.partition);
    const consistency = pattern.at('consistency').textOr('eventual') === 'eventual' ? 'eventual' : 'strong';
    const optional = [...given, ...(one || operation === 'Scan' ? [] : by(key.sort))].filter(
      (each) => entity.attributes.get(each)?.optional,
    );
    draft.read({
      name,
      description,
      entities: [entity.name],
      by: given,
      result: one ? 'one' : 'list',
      page: one ? 1 : Math.max(1, items),
      returns: items,
      consistency,
      rate,
      where: optional.map((attribute) => ({ kind: 'exists' as const, attribute, share: 1 })),
    });
    return;
  }
  const step = { entity: entity.name, count: Math.max(1, items) };
  const sets = pattern
    .at('attributes_written')
    .list()
    .map((one) => one.text());
  const steps: WriteStep[] =
    operation === 'DeleteItem'
      ? [{ ...step, kind: 'remove', given: base, when: [] }]
      : operation === 'UpdateItem'
        ? [
            {
              ...step,
              kind: 'change',
              given: base,
              sets: sets
                .filter((one) => entity.attributes.has(one) && !base.includes(one))
                .map((attribute) => ({ attribute })),
              when: [],
              checksVersion: false,
            },
          ]
        : [{ ...step, kind: 'create', once: false, unique: [], values: [] }];
  draft.write(name, steps, { description, rate, atomic: operation.startsWith('Transact') });
}

/** `dynamodb_data_model.json` of AWS's MCP server: CreateTable requests, sample items and one command for each pattern. */
export function fromMcpValidation(file: Place, name: string): Imported {
  const draft = new Draft(name);
  const shapes = new Map<string, TableShape>();
  for (const table of file.at('tables').list()) {
    const shape = tableShape(table);
    shapes.set(shape.name, shape);
    declareIndexes(draft, shape);
    const items = file.at('items').at(shape.name).list();
    const found = items.map((one) => asItem(one.at('PutRequest').at('Item').value));
    if (found.length > 0) entitiesFromItems(draft, shape, found);
    else rawKeys(draft.entity(shape.name, shape.name, 100_000), shape, undefined);
  }
  const requests = file
    .at('access_patterns')
    .list()
    .flatMap((pattern): SeenRequest[] => {
      const command = pattern.at('implementation');
      const id = String(pattern.at('pattern').value ?? pattern.path);
      if (!command.exists) {
        draft.note(id, 'left out', pattern.at('reason').textOr('it has no command'));
        return [];
      }
      const request = requestOfCommand(command);
      const description = pattern.at('description').textOr(undefined);
      return [{ ...request, at: 0, pattern: id, ...(description === undefined ? {} : { description }) }];
    });
  patternsFromRequests(draft, shapes, requests);
  return draft.imported(
    'aws-mcp-validation',
    "Imported from a validation file of AWS's DynamoDB MCP server.",
  );
}

/** `aws dynamodb query --table-name T …` as the request that it sends. */
function requestOfCommand(place: Place): Pick<SeenRequest, 'op' | 'input'> {
  const words = [...place.text().matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double?.replace(/\\(.)/g, '$1') ?? bare!,
  );
  if (words[0] !== 'aws' || words[1] !== 'dynamodb' || words[2] === undefined)
    place.fail('is no aws dynamodb command');
  const input: Record<string, unknown> = {};
  for (let at = 3; at < words.length; at++) {
    const flag = words[at]!;
    if (!flag.startsWith('--')) continue;
    const bare = flag.replace(/^--(no-)?/, '');
    const member = nameOf(bare, '');
    const next = words[at + 1];
    if (next === undefined || next.startsWith('--')) input[member] = !flag.startsWith('--no-');
    else {
      input[member] = argumentValue(next);
      at++;
    }
  }
  if (typeof input.Limit !== 'number' && typeof input.MaxItems === 'number') input.Limit = input.MaxItems;
  return { op: nameOf(words[2]!, ''), input };
}

/** The guide asks for Python's True and False although the file is JSON. */
function argumentValue(text: string): unknown {
  if (/^-?\d+$/.test(text)) return Number(text);
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text.replace(/:\s*True\b/g, ':true').replace(/:\s*False\b/g, ':false'));
  } catch {
    return text;
  }
}

/** `schema.json` of the MCP server's repository generator: templates of keys, fields, patterns with parameters. */
export function fromMcpSchema(file: Place, name: string): Imported {
  const draft = new Draft(name);
  for (const table of file.at('tables').list()) {
    const config = table.at('table_config');
    const tableName = config.at('table_name').text();
    for (const one of table.at('gsi_list').list()) {
      const type = one.at('projection').oneOf(['ALL', 'KEYS_ONLY', 'INCLUDE'], 'ALL');
      const index = one.at('name').text();
      const names = one
        .at('included_attributes')
        .list()
        .map((each) => each.text());
      if (type !== 'ALL')
        draft.indexes.set(index, {
          name: index,
          kind: 'global',
          projection: type === 'INCLUDE' ? { type, names } : { type },
        });
    }
    for (const [entityName, place] of table.at('entities').entries())
      schemaEntity(draft, place, entityName, tableName);
  }
  return draft.imported('aws-mcp-schema', "Imported from schema.json of AWS's DynamoDB MCP server.");
}

const fieldPattern = /\{(\w+)(?::([^}]*))?\}/g;

function schemaEntity(draft: Draft, place: Place, entityName: string, table: string): void {
  const entity = draft.entity(entityName, table, 100_000);
  draft.note(`entity ${entity.name}`, 'guessed', 'the file has no populations: 100,000 items are assumed');
  for (const field of place.at('fields').list()) {
    const name = field.at('name').text();
    const type = field
      .at('type')
      .oneOf(['string', 'integer', 'decimal', 'boolean', 'array', 'object', 'uuid']);
    const optional = field.at('required').value === false;
    entity.attributes.set(name, { name, type: typeOf(type, name), ...(optional ? { optional: true } : {}) });
  }
  const pieces = (template: Place, sorted: boolean): Piece[] =>
    (Array.isArray(template.value) ? template.list() : [template]).flatMap((one, at): Piece[] => [
      ...(at === 0 ? [] : [{ kind: 'constant' as const, text: '#' }]),
      ...templatePieces(one.text(), fieldPattern, (name, format) => {
        const attribute = entity.attributes.get(name);
        if (attribute === undefined) one.fail(`names {${name}}, which is no field of ${entityName}`);
        if (sorted && attribute?.type.kind === 'number' && format === undefined && one.text() !== `{${name}}`)
          draft.findings.push(
            finding('zero-padding', `entity ${entity.name}`, {
              message: `"${name}" is a number in the sort key ${one.text()} without a width: 10 sorts before 9`,
              fix: `Write {${name}:012d}.`,
            }),
          );
      }),
    ]);
  const sort = place.at('sk_template');
  entity.keys.push({
    slot: 'table',
    partition: pieces(place.at('pk_template'), false),
    sort: sort.exists ? pieces(sort, true) : [{ kind: 'constant', text: entity.name.toUpperCase() }],
    when: [],
  });
  for (const mapping of place.at('gsi_mappings').list()) {
    const range = mapping.at('sk_template');
    entity.keys.push({
      slot: mapping.at('name').text(),
      partition: pieces(mapping.at('pk_template'), false),
      sort: range.exists ? pieces(range, true) : [],
      when: [],
    });
  }
  for (const pattern of place.at('access_patterns').list()) schemaPattern(draft, entity, pattern);
}

function schemaPattern(draft: Draft, entity: DraftEntity, pattern: Place): void {
  const name = pattern.at('name').text();
  const operation = pattern.at('operation').text();
  const description = pattern.at('description').textOr(name);
  const slot = pattern.at('index_name').textOr('table');
  const key =
    entity.keys.find((one) => one.slot === slot) ??
    pattern.at('index_name').fail(`names ${slot}, in which ${entity.name} has no key`);
  const by = (pieces: readonly Piece[]) =>
    pieces.flatMap((one) => (one.kind === 'attribute' ? [one.attribute] : []));
  const base = [...new Set([...by(entity.keys[0]!.partition), ...by(entity.keys[0]!.sort)])];
  draft.note(name, 'guessed', 'the file has no rates: 1 call a second is assumed');
  if (reading.includes(operation)) {
    const filter = pattern.at('filter_expression');
    const filters = filter.exists
      ? filter
          .at('conditions')
          .list()
          .map((one) => one.at('field').text())
      : [];
    const one = operation === 'GetItem' || operation === 'BatchGetItem';
    const given = operation === 'Scan' ? [] : one ? base : by(key.partition);
    const range = pattern.at('range_condition').textOr(undefined);
    const parameters = pattern
      .at('parameters')
      .list()
      .map((each) => each.at('name').value);
    const known = by(key.sort).filter((each) => parameters.includes(each));
    const open = by(key.sort).find(
      (each) => range === undefined || each === known.at(-1) || known.length === 0,
    );
    const ranged: Partial<ReadPattern> =
      range === undefined || open === undefined
        ? {}
        : { range: { attribute: open, kind: range === 'begins_with' ? 'prefix' : 'between' } };
    const optional = [...given, ...(one ? [] : by(key.sort))].filter(
      (each) => entity.attributes.get(each)?.optional,
    );
    draft.read({
      ...ranged,
      name,
      description,
      entities: [entity.name],
      by: [...new Set([...given, ...filters])],
      result: one ? 'one' : 'list',
      page: one ? 1 : 25,
      consistency: pattern.at('consistent_read').value === true ? 'strong' : 'eventual',
      where: optional.map((attribute) => ({ kind: 'exists' as const, attribute, share: 1 })),
    });
    return;
  }
  const step = { entity: entity.name, count: 1 };
  if (operation === 'DeleteItem')
    draft.write(name, [{ ...step, kind: 'remove', given: base, when: [] }], { description });
  else if (operation === 'UpdateItem') {
    const sets = pattern
      .at('parameters')
      .list()
      .map((each) => String(each.at('name').value));
    const changed = sets.filter((each) => entity.attributes.has(each) && !base.includes(each));
    draft.write(
      name,
      [
        {
          ...step,
          kind: 'change',
          given: base,
          sets: changed.map((attribute) => ({ attribute })),
          when: [],
          checksVersion: false,
        },
      ],
      { description },
    );
  } else
    draft.write(name, [{ ...step, kind: 'create', once: false, unique: [], values: [] }], { description });
}
