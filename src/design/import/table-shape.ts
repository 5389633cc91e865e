import type { HandIndex, Piece } from '../ir.ts';
import { type Draft, type DraftEntity, typeOf } from './draft.ts';
import type { Place } from './place.ts';

/** A table as CreateTable describes it: names of keys, without what stands in them. */
export interface TableShape {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey?: string;
  readonly indexes: readonly IndexShape[];
  readonly types: ReadonlyMap<string, string>;
  readonly ttl?: string;
  readonly count?: number;
  readonly bytes?: number;
}

export interface IndexShape extends HandIndex {
  readonly partition: readonly string[];
  readonly sort: readonly string[];
}

/** The shape of a CreateTable request, or of what DescribeTable answers. */
export function tableShape(place: Place): TableShape {
  const name = place.at('TableName').text();
  const [partition, sort] = keysOf(place.at('KeySchema'), 1);
  const definitions = place.at('AttributeDefinitions').list();
  const types = new Map(
    definitions.map((one) => [
      one.at('AttributeName').text(),
      one.at('AttributeType').oneOf(['S', 'N', 'B']),
    ]),
  );
  const indexes = (['LocalSecondaryIndexes', 'GlobalSecondaryIndexes'] as const).flatMap((member) =>
    place
      .at(member)
      .list()
      .map((one): IndexShape => {
        const [own, range] = keysOf(one.at('KeySchema'), 4);
        return {
          name: one.at('IndexName').text(),
          kind: member === 'LocalSecondaryIndexes' ? 'local' : 'global',
          partition: own,
          sort: range,
          projection: projectionOf(one.at('Projection')),
        };
      }),
  );
  const ttl = place.at('TimeToLiveSpecification');
  const count = place.at('ItemCount').numberOf();
  const size = place.at('TableSizeBytes').numberOf();
  return {
    name,
    partitionKey: partition[0]!,
    ...(sort[0] === undefined ? {} : { sortKey: sort[0] }),
    indexes,
    types,
    ...(ttl.exists && ttl.at('Enabled').value !== false ? { ttl: ttl.at('AttributeName').text() } : {}),
    ...(count === undefined || count === 0 ? {} : { count }),
    ...(count === undefined || count === 0 || size === undefined ? {} : { bytes: size / count }),
  };
}

function keysOf(schema: Place, most: number): [string[], string[]] {
  const elements = schema.list();
  const named = (type: string) =>
    elements
      .filter((one) => one.at('KeyType').oneOf(['HASH', 'RANGE']) === type)
      .map((one) => one.at('AttributeName').text());
  const [hash, range] = [named('HASH'), named('RANGE')];
  if (hash.length === 0 || hash.length > most || range.length > most)
    return schema.fail(`must have a HASH key, and at most ${most} of each`);
  return [hash, range];
}

function projectionOf(place: Place): HandIndex['projection'] {
  if (!place.exists) return { type: 'ALL' };
  const type = place.at('ProjectionType').oneOf(['ALL', 'KEYS_ONLY', 'INCLUDE'], 'ALL');
  if (type !== 'INCLUDE') return { type };
  return {
    type,
    names: place
      .at('NonKeyAttributes')
      .list()
      .map((one) => one.text()),
  };
}

/** Remembers what the model must know of indexes that are local or project less than everything. */
export function declareIndexes(draft: Draft, { indexes }: TableShape): void {
  for (const { name, kind, projection } of indexes)
    if (kind === 'local' || projection.type !== 'ALL') draft.indexes.set(name, { name, kind, projection });
}

/** Keys whose texts are unknown: each key attribute is one piece. `head` tells kinds of one table apart. */
export function rawKeys(entity: DraftEntity, shape: TableShape, head: string | undefined): void {
  const pieces = (names: readonly string[]): Piece[] =>
    names.flatMap((name, at): Piece[] => [
      ...(at === 0 ? [] : [{ kind: 'constant' as const, text: '#' }]),
      { kind: 'attribute', attribute: name },
    ]);
  const add = (name: string, optional: boolean) => {
    if (entity.attributes.has(name)) return;
    const type = typeOf(shape.types.get(name) ?? 'S', name);
    entity.attributes.set(name, { name, type, ...(optional ? { optional: true } : {}) });
  };
  const lead: Piece[] = head === undefined ? [] : [{ kind: 'constant', text: `${head}#` }];
  const sort: Piece[] =
    shape.sortKey === undefined
      ? [{ kind: 'constant', text: entity.name.toUpperCase() }]
      : pieces([shape.sortKey]);
  for (const name of [shape.partitionKey, ...(shape.sortKey === undefined ? [] : [shape.sortKey])])
    add(name, false);
  entity.keys.push({ slot: 'table', partition: [...lead, ...pieces([shape.partitionKey])], sort, when: [] });
  for (const { name, partition, sort: range } of shape.indexes) {
    for (const one of [...partition, ...range]) add(one, true);
    entity.keys.push({
      slot: name,
      partition: [...lead, ...pieces(partition)],
      sort: pieces(range),
      when: [],
    });
  }
}

/** One read for each key of an entity: what the design is evidently for, if the file names no patterns. */
export function readsOfKeys(draft: Draft, entity: DraftEntity): void {
  for (const { slot, partition, sort } of entity.keys) {
    const names = (pieces: readonly Piece[]) =>
      pieces.flatMap((piece) => (piece.kind === 'attribute' ? [piece.attribute] : []));
    const [by, rest] = [names(partition), names(sort)];
    const base = slot === 'table' && rest.length === 0;
    // A reader of a narrow index is taken to need what is there.
    const projection = draft.indexes.get(slot)?.projection;
    const projected = projection?.type === 'INCLUDE' ? projection.names : [];
    draft.read({
      ...(projection === undefined || projection.type === 'ALL'
        ? {}
        : { needs: projected.filter((one) => entity.attributes.has(one)) }),
      name: `${entity.name}.${slot === 'table' ? (base ? 'get' : 'byPartition') : slot}`,
      entities: [entity.name],
      by: [...new Set(by)],
      result: base ? 'one' : 'list',
      ...(base ? { page: 1 } : {}),
      where: [...new Set([...by, ...rest])]
        .filter((name) => entity.attributes.get(name)?.optional)
        .map((attribute) => ({ kind: 'exists' as const, attribute, share: 1 })),
    });
  }
  draft.note(
    `entity ${entity.name}`,
    'inferred',
    'the file names no access patterns; one read for each key is assumed, at 1 call a second',
  );
}
