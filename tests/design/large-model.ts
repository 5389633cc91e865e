import {
  type Entity,
  type Model,
  modelFormat,
  type ReadPattern,
  type WritePattern,
} from '../../src/design/ir.ts';

/** A model of so many entities with four patterns each: by id, by parent and time, by owner and status, a queue. */
export function largeModel(entities: number): Model {
  const names = Array.from({ length: entities }, (_, at) => `E${String(at).padStart(2, '0')}`);
  const rate = { peak: 20, mean: 5 };
  const read = (name: string, entity: string, one: Partial<ReadPattern>): ReadPattern => ({
    name,
    entities: [entity],
    result: 'list',
    by: [],
    where: [],
    order: [],
    page: 25,
    consistency: 'eventual',
    rate,
    skew: [],
    needs: ['state', 'title'],
    mayDiscard: 0,
    mayFetch: false,
    ...one,
  });
  return {
    format: modelFormat,
    name: 'large',
    entities: names.map((name, at): Entity => {
      const id = { kind: 'id', bytes: { mean: 12, max: 12 } } as const;
      return {
        name,
        attributes: [
          { name: 'itemId', type: id },
          { name: 'parentId', type: id, distinct: 1_000 + at },
          { name: 'at', type: { kind: 'time' } },
          { name: 'ownerId', type: id, distinct: 500 },
          {
            name: 'state',
            type: {
              kind: 'choice',
              ordered: false,
              values: [
                { value: 'OPEN', share: 0.1 },
                { value: 'DONE', share: 0.9 },
              ],
            },
          },
          { name: 'rank', type: { kind: 'number', digits: 6, decimals: 0, signed: false } },
          { name: 'title', type: { kind: 'text', bytes: { mean: 100 + at, max: 500 }, plain: false } },
        ],
        identity: ['itemId'],
        fixed: ['parentId', 'at'],
        population: { kind: 'count', count: 100_000 + at, growthPerDay: 0 },
      };
    }),
    reads: names.flatMap((name) => [
      read(`${name}.1`, name, { by: ['itemId'], result: 'one', page: 1 }),
      read(`${name}.2`, name, { by: ['parentId'], order: [{ attribute: 'at', direction: 'desc' }] }),
      read(`${name}.3`, name, { by: ['ownerId', 'state'], order: [{ attribute: 'rank', direction: 'asc' }] }),
      read(`${name}.4`, name, {
        by: ['ownerId'],
        where: [{ kind: 'equals', attribute: 'state', value: 'OPEN' }],
        order: [{ attribute: 'rank', direction: 'asc' }],
      }),
    ]),
    writes: names.flatMap((name): WritePattern[] => [
      {
        name: `${name}.write`,
        atomic: false,
        rate,
        skew: [],
        steps: [
          { kind: 'create', entity: name, count: 1, once: true, unique: [], values: [] },
          {
            kind: 'change',
            entity: name,
            count: 1,
            given: ['itemId'],
            sets: [{ attribute: 'state' }, { attribute: 'rank' }],
            when: [],
            checksVersion: false,
          },
        ],
      },
    ]),
    environment: { capacity: 'on-demand', streams: [], headroom: 0.7, shardsMax: 100 },
  };
}
