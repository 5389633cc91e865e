/** Parcel tracking with mega-shipments: few shipments take most of the events. */
import {
  change,
  choice,
  count,
  create,
  entity,
  get,
  hot,
  id,
  list,
  model,
  number,
  of,
  per,
  text,
  time,
  write,
} from 'stator/design';

const shipment = entity('Shipment', {
  identity: { shipmentId: id(12) },
  fixed: { createdAt: time(), customer: text(30) },
  population: count(2_000_000, 20_000),
});

/** Every scan of every parcel. Three shipments of tens of thousands of parcels take a third of the writes. */
const event = entity('Event', {
  identity: { shipmentId: of(shipment), eventId: id(26) },
  fixed: { at: time(), place: text(20), kind: choice('SCAN', 'LOAD', 'UNLOAD', 'DELIVER'), parcel: id(14) },
  population: per(shipment, { mean: 30, max: 500_000 }),
});

const milestone = entity('Milestone', {
  identity: { shipmentId: of(shipment), sequence: number(4) },
  fixed: { at: time(), what: text(40) },
  population: per(shipment, { mean: 6, max: 200 }),
});

/** A small summary beside the events; a stream consumer keeps it, so no item grows without bound. */
const latest = entity('LatestStatus', {
  identity: { shipmentId: of(shipment) },
  changing: {
    status: choice({ IN_TRANSIT: 0.1, DELIVERED: 0.85, LOST: 0.05 }),
    place: text(20),
    since: time(),
  },
  population: per(shipment, { mean: 1, max: 1 }),
});

const megaShipments = { shipmentId: hot(3, 0.9) } as const;

export default model('parcels', {
  description: 'Tracking events, milestones and the latest status of shipments.',
  // Three shipments are hot at once: their shards must fit a partition also where several of them meet.
  headroom: 0.2,
  entities: [shipment, event, milestone, latest],
  reads: {
    shipmentById: get(shipment, {
      does: 'a shipment',
      actor: 'portal',
      by: 'shipmentId',
      peak: 300,
      mean: 80,
    }),
    history: list(event, {
      does: 'events of a shipment, newest first',
      actor: 'portal',
      by: 'shipmentId',
      order: 'at desc',
      page: 50,
      peak: 100,
      mean: 25,
    }),
    milestones: list(milestone, {
      does: 'milestones of a shipment',
      actor: 'portal',
      by: 'shipmentId',
      order: 'sequence',
      page: 200,
      peak: 200,
      mean: 50,
    }),
    status: get(latest, {
      does: 'where a shipment is',
      actor: 'portal',
      by: 'shipmentId',
      peak: 900,
      mean: 250,
    }),
    inTransit: list(latest, {
      does: 'shipments under way, longest first',
      actor: 'operations',
      where: { status: 'IN_TRANSIT' },
      order: 'since',
      page: 100,
      needs: ['place'],
      peak: 2,
      mean: 0.2,
    }),
  },
  writes: {
    register: write({
      does: 'register a shipment',
      actor: 'portal',
      steps: [create(shipment), create(latest, { with: { status: 'IN_TRANSIT' } })],
      peak: 20,
      mean: 5,
    }),
    scan: write({
      does: 'record an event',
      actor: 'scanner',
      steps: [create(event)],
      peak: 3_400,
      mean: 3_000,
      skew: megaShipments,
    }),
    reach: write({
      does: 'record a milestone',
      actor: 'stream worker',
      steps: [create(milestone)],
      peak: 100,
      mean: 20,
    }),
    summarise: write({
      does: 'move the latest status on',
      actor: 'stream worker',
      steps: [change(latest, { given: 'shipmentId', sets: ['status', 'place', 'since'] })],
      peak: 200,
      mean: 50,
    }),
  },
  streams: {
    summary: { entities: [event], view: 'NEW_IMAGE' },
    search: { entities: [event], view: 'NEW_IMAGE' },
  },
});
