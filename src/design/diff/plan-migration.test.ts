import { describe, expect, it } from 'vitest';
import {
  first,
  withCustomers,
  withMegaShipments,
  withStatus,
  withUniqueCodes,
} from '../../../tests/migrate/tracking-models.ts';
import { checkDesign } from '../certificate/check-design.ts';
import { derive } from '../derive/derive.ts';
import { choice, count, entity, get, id, list, model, number, of, per, text, time } from '../index.ts';
import type { Model } from '../ir.ts';
import type { MigrationPlan } from './migration-plan.ts';
import { phaseVersion } from './phase-version.ts';
import { planMigration } from './plan-migration.ts';

const stepsOf = ({ steps }: MigrationPlan) =>
  steps.map(({ id, rollback }) => (rollback ? `${id} < ${rollback}` : id));
const plan = (from: Model, to: Model) => planMigration({ model: from }, { model: to });

describe('a plan', () => {
  it('has nothing to do where only new things are added', () => {
    const more: Model = {
      ...first,
      entities: [
        ...first.entities,
        {
          ...first.entities[0]!,
          name: 'Depot',
          identity: ['depotId'],
          fixed: [],
          attributes: [{ name: 'depotId', type: { kind: 'id', bytes: { mean: 8, max: 8 } } }],
        },
      ],
    };
    const added = plan(first, more);
    expect(stepsOf(added)).toEqual(['phase done']);
    expect(added.changes).toMatchObject([{ change: 'added', what: 'entity', name: 'Depot', additive: true }]);
    expect(added.forecast).toMatchObject({ writeUnits: 0, readUnits: 0, dollars: 0 });
  });

  it('counts of a cleanup only what items have to lose', () => {
    const sparse: Model = {
      ...withCustomers,
      reads: withCustomers.reads.map((read) =>
        read.name === 'ofCustomer'
          ? { ...read, where: [{ kind: 'equals', attribute: 'status', value: 'OPEN' }] }
          : read,
      ),
    };
    const { steps } = plan(sparse, first);
    // A tenth of the shipments is open. The index is gone by then.
    expect(steps.at(-1)).toMatchObject({ kind: 'cleanup', cost: { writeUnits: 200_000, indexUnits: 0 } });
    // Every event goes, and takes no entry with it.
    const moved = plan(first, withMegaShipments).steps.at(-1)!;
    expect(moved).toMatchObject({ kind: 'cleanup', cost: { writeUnits: 60_000_000, indexUnits: 0 } });
  });

  it('moves nothing into items that exist, and refuses a design that would', () => {
    const id = { kind: 'id', bytes: { mean: 8, max: 8 } } as const;
    const [parent] = first.entities;
    const note = {
      ...parent!,
      name: 'Note',
      identity: [...parent!.identity, 'noteId'],
      fixed: [],
      attributes: [
        ...parent!.identity.map((name) => ({
          name,
          type: id,
          refersTo: { entity: parent!.name, attribute: name },
        })),
        { name: 'noteId', type: id },
      ],
      population: { kind: 'per', entity: parent!.name, mean: 1, max: 3 },
      mayEmbed: 'notes',
    } as const;
    const withNotes: Model = { ...first, entities: [...first.entities, note] };
    expect(derive(withNotes).tables[0]!.embedded).toHaveLength(1);
    expect(plan(first, withNotes).to.design.tables[0]!.embedded).toBeUndefined();
    expect(() => planMigration({ model: first }, { model: withNotes, design: derive(withNotes) })).toThrow(
      'it would lie in "notes" of',
    );
    const apart = planMigration({ model: first }, { model: withNotes }).to.design;
    expect(() =>
      planMigration({ model: withNotes, design: derive(withNotes) }, { model: withNotes, design: apart }),
    ).toThrow('a migration moves items, not what is inside them');
  });

  it('creates an index, fills it while programs write both, and ends without deleting anything', () => {
    const added = plan(first, withCustomers);
    expect(stepsOf(added)).toEqual([
      'create-index tracking.GSI1 < start',
      'phase dual-write < start',
      'backfill tracking < start',
      'verify tracking < start',
      'phase flipped < dual-write',
      'phase done',
    ]);
    const backfill = added.steps[2]!;
    expect(backfill).toMatchObject({
      work: [{ entity: 'Shipment', slots: ['GSI1'], moves: false, items: 2_000_000 }],
    });
    // One update of the item and one entry for each of two million shipments.
    expect(backfill.cost).toMatchObject({ writeUnits: 2_000_000, indexUnits: 2_000_000 });
  });

  it('leaves every entry where it is when another question comes', () => {
    const agent = entity('Agent', {
      identity: { agentId: id(10) },
      changing: { email: text(30) },
      population: count(500),
    });
    const ticket = entity('Ticket', {
      identity: { ticketId: id(12) },
      fixed: { agentId: of(agent), openedAt: time() },
      changing: { status: choice({ OPEN: 0.05, WAITING: 0.05, CLOSED: 0.9 }), priority: number(2) },
      population: per(agent, { mean: 200, max: 5_000 }),
    });
    const byAgent = { by: 'agentId', page: 20, peak: 20 } as const;
    const reads = {
      ticketById: get(ticket, { does: 'a ticket', by: 'ticketId', consistency: 'strong', peak: 100 }),
      ofAgent: list(ticket, { does: 'tickets of an agent', ...byAgent, order: 'openedAt desc' }),
      openOfAgent: list(ticket, {
        ...{ does: 'open ones', ...byAgent },
        ...{ where: { status: 'OPEN' } as const, order: 'priority desc' as const },
      }),
      agentByEmail: get(agent, { does: 'an agent', by: 'email', peak: 5 }),
    };
    const writes = {};
    const before = model('desk', { entities: [agent, ticket], reads, writes });
    const waiting = list(ticket, {
      ...{ does: 'all that wait', where: { status: 'WAITING' } as const },
      ...{ order: 'openedAt' as const, page: 50, peak: 2 },
    });
    const after = model('desk', { entities: [agent, ticket], reads: { ...reads, waiting }, writes });
    const { steps } = plan(before, after);
    expect(steps.find(({ kind }) => kind === 'backfill')).toMatchObject({
      work: [{ entity: 'Ticket', slots: ['GSI3'] }],
    });
    // Nothing of the old index has to go.
    expect(steps.at(-1)!.id).toBe('phase done');
  });

  it('gives an index with other keys a name of its own, and deletes the old one at the end', () => {
    const changed = plan(withCustomers, withStatus);
    expect(stepsOf(changed)).toEqual([
      'create-index tracking.GSI2 < start',
      'phase dual-write < start',
      'backfill tracking < start',
      'verify tracking < start',
      'phase flipped < dual-write',
      'phase done',
      'delete-index tracking.GSI1',
      'cleanup tracking',
    ]);
    expect(changed.steps.at(-1)).toMatchObject({
      work: [{ entity: 'Shipment', attributes: ['GSI1PK', 'GSI1SK'], copies: [], unique: [] }],
    });
  });

  it('moves items to sharded keys and takes the old ones away', () => {
    const sharded = plan(first, withMegaShipments);
    expect(stepsOf(sharded)).toContain('verify-again tracking < dual-write');
    expect(sharded.steps.find(({ kind }) => kind === 'backfill')).toMatchObject({
      work: [{ entity: 'Event', moves: true, slots: [] }],
    });
  });

  it('lets the service fill an index that only projects more', () => {
    const keys = (project: 'all' | 'keys'): Model => handMade(project);
    const wider = plan(keys('keys'), keys('all'));
    expect(stepsOf(wider)).toEqual([
      'create-index hand.GSI1 < start',
      'phase dual-write < start',
      'phase flipped < dual-write',
      'phase done',
      'delete-index hand.ByCustomer',
    ]);
    const [index] = wider.to.design.tables[0]!.indexes;
    expect(index).toMatchObject({ name: 'GSI1', partitionKey: 'ByCustomerPK', projection: { type: 'ALL' } });
    expect(wider.steps[0]!.cost!.indexUnits).toBeGreaterThan(0);
    // What is projected already is enough the other way round.
    expect(stepsOf(plan(keys('all'), keys('keys')))).toEqual(['phase done']);
  });

  it('is the same for the same versions, and another for others', () => {
    expect(plan(first, withCustomers).id).toBe(plan(first, withCustomers).id);
    expect(plan(first, withCustomers).id).not.toBe(plan(first, withStatus).id);
  });

  it.each([
    ['a new pattern', first, withCustomers],
    ['other index keys', withCustomers, withStatus],
    ['a move', first, withMegaShipments],
    ['unique values', first, withUniqueCodes],
  ])('has phases that are designs by themselves: %s', (_, from, to) => {
    const versions = plan(from, to);
    for (const phase of ['before', 'dual-write', 'flipped', 'done'] as const) {
      const { model, design } = phaseVersion(versions, phase);
      expect(checkDesign(model, design), phase).toEqual([]);
    }
  });
});

describe('a plan is refused', () => {
  const refusal = (from: Model, to: Model) => {
    try {
      plan(from, to);
    } catch (error) {
      return String(error);
    }
    return 'accepted';
  };

  it('between two models', () => {
    expect(refusal(first, { ...first, name: 'other' })).toContain(
      'the versions are of two models, tracking and other',
    );
  });

  it('for another identity', () => {
    const entities = withCustomers.entities.map((one) =>
      one.name === 'Shipment'
        ? { ...one, identity: ['customer'], fixed: ['shipmentId', 'createdAt', 'code'] }
        : one,
    );
    const to: Model = {
      ...first,
      entities: entities.filter(({ name }) => name === 'Shipment'),
      reads: [],
      writes: [],
    };
    expect(refusal(first, to)).toContain('no old item has its new name');
  });

  it('for a move between tables', () => {
    const to: Model = {
      ...first,
      entities: first.entities.map((one) => (one.name === 'Event' ? { ...one, table: 'events' } : one)),
    };
    expect(refusal(first, to)).toContain('it would move from table tracking to table events');
  });
});

/** An index by hand whose projection is all that differs. */
function handMade(project: 'all' | 'keys'): Model {
  const [shipment] = first.entities;
  const attribute = (name: string) => ({ kind: 'attribute', attribute: name }) as const;
  const constant = (text: string) => ({ kind: 'constant', text }) as const;
  return {
    ...first,
    name: 'hand',
    entities: [
      {
        ...shipment!,
        keys: [
          {
            slot: 'table',
            partition: [constant('S#'), attribute('shipmentId')],
            sort: [constant('S')],
            when: [],
          },
          {
            slot: 'ByCustomer',
            partition: [constant('C#'), attribute('customer')],
            sort: [attribute('createdAt')],
            when: [],
          },
        ],
      },
    ],
    reads: [first.reads[0]!],
    writes: [first.writes[0]!],
    environment: {
      ...first.environment,
      indexes: [
        {
          name: 'ByCustomer',
          kind: 'global',
          projection: project === 'all' ? { type: 'ALL' } : { type: 'KEYS_ONLY' },
        },
      ],
    },
  };
}
