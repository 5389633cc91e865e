import { finding } from '../check/subject.ts';
import type { Piece } from '../ir.ts';
import { Draft, type Imported, templatePieces, typeOf } from './draft.ts';
import type { Place } from './place.ts';
import { asItem, asRecord, patternsFromRequests, type SeenRequest, tableName } from './request-shapes.ts';
import { entitiesFromItems, type SampleItem } from './samples.ts';
import { declareIndexes, rawKeys, readsOfKeys, type TableShape, tableShape } from './table-shape.ts';

/** CreateTable requests, DescribeTable answers, or the tables of a template: keys by name, one entity for each table. */
export function fromTables(tables: readonly Place[], name: string): Imported {
  const draft = new Draft(name);
  for (const place of tables) {
    const shape = tableShape(place);
    declareIndexes(draft, shape);
    const entity = draft.entity(shape.name, shape.name, shape.count ?? 100_000);
    if (shape.bytes !== undefined) entity.bytes = shape.bytes;
    rawKeys(entity, shape, undefined);
    readsOfKeys(draft, entity);
    if (shape.count === undefined)
      draft.note(`entity ${entity.name}`, 'guessed', '100,000 items are assumed');
  }
  return draft.imported('tables', 'Imported from the definitions of tables.');
}

/** A model file of NoSQL Workbench, any version: tables, facets and sample rows. */
export function fromWorkbench(file: Place, name: string): Imported {
  const draft = new Draft(file.at('ModelName').textOr(name));
  for (const table of file.at('DataModel').list()) {
    const shape = workbenchTable(table);
    declareIndexes(draft, shape);
    if (table.at('BillingMode').value === 'PROVISIONED') draft.provisioned();
    const rows = [
      ...table.at('TableData').list(),
      ...table
        .at('TableFacets')
        .list()
        .flatMap((one) => one.at('TableData').list()),
    ];
    const items = new Map<string, SampleItem>();
    for (const row of rows) {
      const item = asItem(row.value);
      items.set(JSON.stringify([item[shape.partitionKey], item[shape.sortKey ?? '']]), item);
    }
    const found = items.size > 0 ? entitiesFromItems(draft, shape, [...items.values()]) : [];
    if (found.length === 0) {
      const entity = draft.entity(shape.name, shape.name, 100_000);
      for (const one of table.at('NonKeyAttributes').list()) {
        const attribute = one.at('AttributeName').text();
        entity.attributes.set(attribute, {
          name: attribute,
          optional: true,
          type: typeOf(one.at('AttributeType').textOr('S'), attribute),
        });
      }
      rawKeys(entity, shape, undefined);
      found.push(entity);
    }
    for (const entity of found) readsOfKeys(draft, entity);
  }
  return draft.imported('workbench', 'Imported from a NoSQL Workbench model.');
}

function workbenchTable(table: Place): TableShape {
  const keys = (place: Place) => {
    const sort = place.at('SortKey');
    return {
      partition: place.at('PartitionKey').at('AttributeName').text(),
      sort: sort.exists ? sort.at('AttributeName').text() : undefined,
    };
  };
  const own = keys(table.at('KeyAttributes'));
  return {
    name: table.at('TableName').text(),
    partitionKey: own.partition,
    ...(own.sort === undefined ? {} : { sortKey: own.sort }),
    types: new Map(),
    indexes: table
      .at('GlobalSecondaryIndexes')
      .list()
      .map((one) => {
        const { partition, sort } = keys(one.at('KeyAttributes'));
        const projection = one.at('Projection');
        const type = projection.exists
          ? projection.at('ProjectionType').oneOf(['ALL', 'KEYS_ONLY', 'INCLUDE'], 'ALL')
          : 'ALL';
        const names =
          type === 'INCLUDE'
            ? projection
                .at('NonKeyAttributes')
                .list()
                .map((each) => each.text())
            : [];
        return {
          name: one.at('IndexName').text(),
          kind: 'global' as const,
          partition: [partition],
          sort: sort === undefined ? [] : [sort],
          projection: type === 'INCLUDE' ? { type, names } : { type },
        };
      }),
  };
}

const valuePattern = /\$\{([\w.]+)(?::([^}]*))?\}/g;

/** A OneTable schema: models whose key fields are value templates. */
export function fromOneTable(file: Place, name: string): Imported {
  const draft = new Draft(file.at('name').textOr(name));
  file.at('version').text();
  const indexes = file.at('indexes').entries();
  const primary = file.at('indexes').at('primary');
  const [hash, range] = [primary.at('hash').text(), primary.at('sort').textOr(undefined)];
  for (const [index, place] of indexes) {
    const project = place.at('project');
    const local = place.at('type').value === 'local';
    const projection = Array.isArray(project.value)
      ? { type: 'INCLUDE' as const, names: project.list().map((one) => one.text()) }
      : { type: project.value === 'keys' ? ('KEYS_ONLY' as const) : ('ALL' as const) };
    if (index !== 'primary' && (local || projection.type !== 'ALL'))
      draft.indexes.set(index, { name: index, kind: local ? 'local' : 'global', projection });
  }
  for (const [modelName, fields] of file.at('models').entries()) {
    const entity = draft.entity(modelName, draft.name, 100_000);
    for (const [field, place] of fields.entries()) {
      if (place.at('value').exists) continue;
      const type = typeof place.at('type').value === 'string' ? String(place.at('type').value) : 'string';
      const optional = place.at('required').value !== true;
      entity.attributes.set(field, {
        name: field,
        type: place.at('ttl').value === true ? { kind: 'epoch' } : typeOf(type, field),
        ...(optional ? { optional: true } : {}),
      });
      if (place.at('ttl').value === true) entity.ttl = field;
    }
    const pieces = (field: string | undefined, sorted: boolean): Piece[] | undefined => {
      if (field === undefined) return undefined;
      const place = fields.at(field);
      if (!place.exists) return undefined;
      const value = place.at('value');
      if (!value.exists) return [{ kind: 'attribute', attribute: field }];
      return templatePieces(value.text(), valuePattern, (one, format) => {
        const attribute = entity.attributes.get(one);
        if (attribute === undefined) value.fail(`names \${${one}}, which is no field of ${modelName}`);
        if (sorted && attribute?.type.kind === 'number' && format === undefined)
          draft.findings.push(
            finding('zero-padding', `entity ${entity.name}`, {
              message: `"${one}" is a number in the sort key ${value.text()} without a width: 10 sorts before 9`,
              fix: `Write \${${one}:12}.`,
            }),
          );
      });
    };
    const partition =
      pieces(hash, false) ?? fields.at(hash).fail('is missing: the model has no value for the hash key');
    const sort = pieces(range, true);
    entity.keys.push({
      slot: 'table',
      partition,
      sort: sort ?? [{ kind: 'constant', text: entity.name.toUpperCase() }],
      when: [],
    });
    for (const [index, place] of indexes) {
      if (index === 'primary') continue;
      const own = place.at('hash').exists ? pieces(place.at('hash').text(), false) : partition;
      const rest = pieces(place.at('sort').textOr(undefined), true);
      if (own !== undefined && (rest !== undefined || !place.at('sort').exists))
        entity.keys.push({ slot: index, partition: own, sort: rest ?? [], when: [] });
    }
    readsOfKeys(draft, entity);
  }
  return draft.imported('onetable', 'Imported from a OneTable schema.');
}

/** A sample of items, one for each line. Key names are those given, or the usual ones that every item has. */
export function fromItems(lines: readonly Place[], name: string, keys: readonly string[]): Imported {
  const draft = new Draft(name);
  const items = lines.map((line) => asItem(asRecord(line.value).Item ?? line.value));
  const everywhere = (key: string) => items.every((item) => item[key] !== undefined);
  const usual = [
    ['PK', 'SK'],
    ['pk', 'sk'],
    ['Pk', 'Sk'],
    ['hashKey', 'rangeKey'],
    ['partitionKey', 'sortKey'],
    ['PK'],
    ['pk'],
    ['id'],
  ];
  const chosen = keys.length > 0 ? keys : usual.find((pair) => pair.every(everywhere));
  if (chosen === undefined) lines[0]?.fail('has none of the usual key attributes: name them with --keys');
  const missing = chosen!.find((key) => !everywhere(key));
  if (missing !== undefined)
    lines[items.findIndex((item) => item[missing] === undefined)]!.fail(
      `lacks the key attribute ${JSON.stringify(missing)}`,
    );
  const all = new Set(items.flatMap((item) => Object.keys(item)));
  const indexes = [...all]
    .flatMap((key) => [/^(GSI\d+)_?PK$/i.exec(key)].filter((match) => match !== null))
    .map((match) => {
      const sort = [...all].find((key) => new RegExp(`^${match[1]}_?SK$`, 'i').test(key));
      return {
        name: match[1]!.toUpperCase(),
        kind: 'global' as const,
        partition: [match[0]],
        sort: sort === undefined ? [] : [sort],
        projection: { type: 'ALL' as const },
      };
    });
  const shape: TableShape = {
    name: draft.name,
    partitionKey: chosen![0]!,
    ...(chosen![1] === undefined ? {} : { sortKey: chosen![1] }),
    types: new Map(),
    indexes,
  };
  for (const entity of entitiesFromItems(draft, shape, items)) readsOfKeys(draft, entity);
  return draft.imported('items', `Inferred from a sample of ${items.length} items.`);
}

/** Recorded traffic: kinds of items from the items and keys that were sent, patterns from the shapes of requests. */
export function fromTraffic(lines: readonly Place[], name: string): Imported {
  const draft = new Draft(name);
  const [header, ...rest] = lines;
  if (header!.at('kind').value !== 'requests')
    header!.at('kind').fail('must be "requests": calls of patterns have a model already');
  const requests = rest.map((line): SeenRequest => {
    const { at, op, input, pattern, items } = asRecord(line.value);
    if (typeof op !== 'string') line.at('op').fail('is missing');
    return {
      op: String(op),
      input: asRecord(input),
      at: typeof at === 'number' ? at : 0,
      ...(typeof pattern === 'string' ? { pattern } : {}),
      ...(typeof items === 'number' ? { items } : {}),
    };
  });
  const shapes = new Map(
    header!
      .at('tables')
      .list()
      .map((one) => [one.at('TableName').text(), tableShape(one)] as const),
  );
  const seen = new Map<string, SampleItem[]>();
  for (const { op, input } of requests) {
    const table = tableName(input.TableName);
    const item = asItem(op === 'PutItem' ? input.Item : input.Key);
    if (Object.keys(item).length > 0) seen.set(table, [...(seen.get(table) ?? []), item]);
  }
  for (const shape of shapes.values()) {
    declareIndexes(draft, shape);
    const items = seen.get(shape.name) ?? [];
    if (items.length > 0) entitiesFromItems(draft, shape, items);
    else rawKeys(draft.entity(shape.name, shape.name, 100_000), shape, undefined);
  }
  if (shapes.size === 0)
    header!.at('tables').fail('is missing: without the key names of tables no pattern can be read off');
  patternsFromRequests(draft, shapes, requests);
  return draft.imported('traffic', `Inferred from ${requests.length} recorded requests.`);
}
