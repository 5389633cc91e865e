import { count, fineMoney, percent, shortNumber } from '../../report/figures.ts';
import type { RunReport } from '../lab-report.ts';
import type { EntitySpec, PatternSpec, ValueSpec } from '../scenario.ts';
import { firstMoment, type IncludedScenario, patternOf, runNamed, timeOf } from '../story.ts';

const scanned: Readonly<Record<string, ValueSpec>> = {
  kind: { choice: { SCAN: 8, LOAD: 1, UNLOAD: 1 } },
  place: { bytes: { min: 60, max: 200 } },
};

const shardedEvent: EntitySpec = {
  table: 'tracking-main',
  key: { PK: 'SHIPMENT#{mega}#{shard:10}', SK: 'EVENT#{time}#{id}' },
  attributes: scanned,
};

const shardedHistory: PatternSpec = {
  does: 'the latest scans of a huge shipment, from its ten shards',
  ...{ query: 'MegaEvent', limit: 50, newestFirst: true, shards: 10, rate: 2 },
};

/**
 * Three shipments with tens of thousands of parcels meet a table keyed by shipment. The table is warm for 8,500 writes a
 * second, the most it has seen so far; Monday's traffic is less than half of that.
 */
export const parcels: IncludedScenario = {
  scenario: {
    format: 'stator-lab/1',
    name: 'parcels',
    description:
      'Parcel tracking: three huge shipments heat their partitions, and a list inside an item outgrows 400 KB.',
    startAt: '2026-11-23T09:00:00.000Z',
    seconds: 300,
    clients: 40,
    tables: [
      {
        ...{ name: 'tracking-main', partitionKey: 'PK', sortKey: 'SK' },
        warm: { write: 8_500, read: 25_500 },
        indexes: [{ name: 'InTransit', partitionKey: 'GSI1PK', sortKey: 'GSI1SK', project: 'KEYS_ONLY' }],
      },
    ],
    keys: { shipment: { count: 20_000, as: 'S{n}' }, mega: { count: 3, as: 'MEGA{n}' } },
    entities: {
      Shipment: {
        table: 'tracking-main',
        key: { PK: 'SHIPMENT#{shipment}', SK: 'META' },
        attributes: {
          GSI1PK: { text: 'TRANSIT#{random:8}', share: 0.2 },
          GSI1SK: '{time}',
          customer: { bytes: 30 },
        },
        load: { each: 'shipment' },
      },
      Event: {
        table: 'tracking-main',
        key: { PK: 'SHIPMENT#{shipment}', SK: 'EVENT#{time}#{id}' },
        attributes: scanned,
      },
      MegaEvent: {
        table: 'tracking-main',
        key: { PK: 'SHIPMENT#{mega}', SK: 'EVENT#{time}#{id}' },
        attributes: scanned,
      },
      Rollup: {
        table: 'tracking-main',
        key: { PK: 'SHIPMENT#{mega}', SK: 'ROLLUP' },
        attributes: { events: { list: { count: 3_345, bytes: 120 } } },
        load: { each: 'mega' },
      },
      Milestone: {
        table: 'tracking-main',
        key: { PK: 'SHIPMENT#{mega}', SK: 'MILESTONE#{call}' },
        attributes: { what: { bytes: 120 }, at: '{time}' },
      },
      LatestStatus: { table: 'tracking-main', key: { PK: 'SHIPMENT#{mega}', SK: 'STATUS' } },
    },
    patterns: {
      scan: { does: 'record a scan of an ordinary shipment', put: 'Event', rate: 400 },
      scanMega: {
        does: 'record a scan of one of the three huge shipments',
        put: 'MegaEvent',
        rate: 3_240,
        curve: { kind: 'ramp', from: 0.6, to: 1, seconds: 60 },
      },
      milestone: {
        does: 'append a milestone to the list in the rollup item',
        update: 'Rollup',
        append: { events: { bytes: 120 } },
        rate: 1,
      },
      history: {
        does: 'the latest scans of a huge shipment',
        ...{ query: 'MegaEvent', limit: 50, newestFirst: true, rate: 2 },
      },
    },
    variants: {
      monday: {
        change: 'Every scan goes under SHIPMENT#<id>, and milestones into one list.',
      },
      sharded: {
        change:
          'Scans of huge shipments go under SHIPMENT#<id>#<0..9> by a digest of their id; a history is ten queries.',
        startAt: '2026-11-23T11:00:00.000Z',
        seconds: 150,
        entities: { MegaEvent: shardedEvent },
        patterns: { history: shardedHistory },
      },
      milestones: {
        change:
          'Besides, each milestone is an item of its own, and a consumer of the stream keeps the latest status.',
        startAt: '2026-11-26T09:00:00.000Z',
        seconds: 150,
        entities: { MegaEvent: shardedEvent },
        patterns: {
          scanMega: {
            does: 'record a scan of one of the three huge shipments',
            ...{ put: 'MegaEvent', rate: 3_000 },
          },
          history: shardedHistory,
          milestone: { does: 'record a milestone as an item', put: 'Milestone', rate: 1 },
          status: {
            does: 'keep the latest status of a shipment, from the stream',
            update: 'LatestStatus',
            set: { at: '{time}', what: { bytes: 80 } },
            after: { pattern: 'milestone', delayMs: 300, perSecond: 20 },
          },
        },
      },
    },
  },
  story(runs) {
    const monday = runNamed(runs, 'monday');
    const sharded = runNamed(runs, 'sharded');
    const fixed = runNamed(runs, 'milestones');
    const rows = [];
    if (monday !== undefined) {
      const began = firstMoment(monday, 'throttling');
      const failed = firstMoment(monday, 'error', 'Item size');
      const [table] = monday.arms;
      const keys = table!.hotKeys.filter(({ refused }) => refused > 100);
      rows.push(
        {
          when: `Mon ${timeOf(began, monday)}`,
          what: `Throttling begins. In ${count(monday.seconds / 60)} minutes ${count(monday.totals.throttles)} requests are refused and ${count(monday.totals.gaveUp)} scans are lost.`,
        },
        {
          when: 'Mon 09:10',
          what: `More capacity? The table gave ${count(busiest(monday))} of the ${count(table!.series.writeCapacity[0]!)} writes a second that it can give (${percent(monday.totals.busiestShare)}): it is not the table.`,
        },
        {
          when: 'Mon 09:25',
          what: `The keys that were refused most: ${keys.map(({ key, write }) => `${key} with ${count(write)} a second`).join(', ')}. A partition gives 1,000.`,
        },
        {
          when: 'Mon 09:40',
          what:
            failed === undefined
              ? 'The rollup items are close to 400 KB.'
              : `A second cause, since ${timeOf(failed, monday)}: ${count(patternOf(monday, 'milestone')?.failed ?? 0)} appends fail because the rollup item is larger than 400 KB. Each append costs ${shortNumber(unitsEach(monday))} units.`,
        },
      );
    }
    if (sharded !== undefined)
      rows.push({
        when: 'Mon 11:00',
        what: `Fix 1, ten shards for huge shipments: ${count(sharded.totals.throttles)} throttles at ${count(writesOf(sharded))} writes a second; the busiest key takes ${count(sharded.arms[0]!.hotKeys[0]?.write ?? 0)}. Appends still fail: ${count(patternOf(sharded, 'milestone')?.failed ?? 0)} of ${count(patternOf(sharded, 'milestone')?.calls ?? 0)}.`,
      });
    if (fixed !== undefined)
      rows.push({
        when: '+3 days',
        what: `Fix 2, milestones as items: ${count(writesOf(fixed))} writes a second, ${count(fixed.totals.throttles)} throttles, ${count(fixed.totals.failed)} size errors; a milestone costs ${shortNumber(unitsEach(fixed))} unit.`,
      });
    if (monday !== undefined && fixed !== undefined)
      rows.push({
        when: 'The bill',
        what: `${fineMoney(monday.totals.costPerMillionAnswered)} for a million answered calls before, ${fineMoney(fixed.totals.costPerMillionAnswered)} after: appending to a large item is charged by the whole item.`,
      });
    return rows;
  },
};

function busiest({ arms }: RunReport): number {
  return Math.max(...arms[0]!.series.write);
}

function writesOf({ patterns, seconds }: RunReport): number {
  const writes = patterns.filter(({ writeUnits }) => writeUnits > 0);
  return writes.reduce((sum, { answered }) => sum + answered, 0) / seconds;
}

function unitsEach(run: RunReport): number {
  const pattern = patternOf(run, 'milestone');
  // Appends that fail because the item is too large are charged like those that succeed.
  const charged = (pattern?.answered ?? 0) + (pattern?.failed ?? 0);
  return charged === 0 ? 0 : pattern!.writeUnits / charged;
}
