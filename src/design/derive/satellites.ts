import { itemLimits } from '../../model/limits.ts';
import { partitionCeilings } from '../../physics/partition-use.ts';
import { itemWriteUnits, transactionFactor } from '../../physics/units.ts';
import type { Satellite } from '../design.ts';
import type { Entity, Model, WritePattern, WriteStep } from '../ir.ts';
import type { Trouble } from '../model-error.ts';
import type { ModelFacts } from '../model-facts.ts';
import type { Prices } from '../prices.ts';
import { guardWrites, writeFactor } from '../write-charges.ts';

/** Items that invariants call for: uniqueness, counters too hot for one item, remembered commands. */
export function satellitesOf(facts: ModelFacts, entities: readonly string[], prices: Prices): Satellite[] {
  const found = new Map<string, Satellite>();
  const add = (
    key: string,
    one: Omit<Satellite, 'writes' | 'monthly'>,
    write: WritePattern,
    units: number,
  ) => {
    const before = found.get(key);
    const monthly = units * write.rate.mean * prices.writeUnit * prices.secondsPerMonth;
    found.set(key, {
      ...one,
      shards: Math.max(one.shards, before?.shards ?? 1),
      writes: [...(before?.writes ?? []), write.name],
      monthly: (before?.monthly ?? 0) + monthly,
    });
  };
  const { environment, writes } = facts.model;
  for (const write of writes) {
    const own = write.steps.filter((step) => entities.includes(step.entity));
    for (const step of own) {
      const entity = facts.entity(step.entity);
      const head = entity.name.toUpperCase();
      for (const attribute of facts.uniqueAttributes(entity.name)) {
        const guards = guardWrites(facts, step, attribute);
        if (guards > 0) {
          const key = `UNIQUE.${head}.${attribute}#{${attribute}}`;
          const reason = `No two ${entity.name} items may have the same ${attribute}, and a condition sees one key only. An item under the value itself, created in the same transaction if it does not exist, guards it.`;
          add(
            key,
            { kind: 'unique', entity: entity.name, attribute, key, shards: 1, reason },
            write,
            guards * itemWriteUnits(0, 1) * transactionFactor,
          );
        }
      }
      if (step.kind === 'count' && step.spread === 'shards') {
        const factor = writeFactor(facts, write, step);
        const heat = write.rate.peak * hottestItem(facts, entity, write) * factor;
        const shards = Math.max(1, Math.ceil(heat / (environment.headroom * partitionCeilings.write)));
        const identity = entity.identity.map((name) => `{${name}}`).join('#');
        const key = `COUNTER.${head}.${step.attribute}#${identity}#{shard, ${shards}}`;
        const reason = `The hottest ${entity.name} takes ${Math.round(heat)} write units a second from being counted, and one partition gives ${partitionCeilings.write}. ${shards === 1 ? 'A counter item beside it takes them, so that counting rewrites neither the item nor its index entries' : `${shards} counter items share the additions; readers add them up`}.`;
        add(
          key,
          { kind: 'counter', entity: entity.name, attribute: step.attribute, key, shards, reason },
          write,
          itemWriteUnits(0, 1) * factor,
        );
      }
    }
    const { idempotency } = write;
    if (idempotency?.kind === 'record' && own.length > 0 && own[0] === write.steps[0]) {
      const key = `IDEMPOTENCY#{${idempotency.by}}`;
      const reason = `A repeated ${idempotency.by} must not act twice for ${idempotency.keepDays} days. A record of the command, put in the same transaction if it does not exist and removed by TTL, tells the retry from the first call.`;
      add(
        key,
        { kind: 'idempotency', attribute: idempotency.by, key, shards: 1, reason },
        write,
        itemWriteUnits(0, idempotency.bytes) * transactionFactor,
      );
    }
  }
  return [...found.keys()].sort().map((key) => found.get(key)!);
}

/** Items that one partition cannot take, whatever the keys: sharding spreads items, not one item. */
export function hotItemTroubles(facts: ModelFacts): Trouble[] {
  const { model } = facts;
  const limit = model.environment.headroom * partitionCeilings.write;
  return model.entities.flatMap((entity): Trouble[] => {
    let heat = 0;
    const names: string[] = [];
    let counts = true;
    const bytes = facts.itemBytes(entity);
    for (const write of model.writes) {
      for (const step of write.steps) {
        if (step.entity !== entity.name || !hits(step)) continue;
        const units = itemWriteUnits(bytes, bytes) * writeFactor(facts, write, step);
        heat += write.rate.peak * hottestItem(facts, entity, write) * units;
        names.push(write.name);
        counts &&= step.kind === 'count';
      }
    }
    if (heat <= limit) return [];
    return [
      {
        where: `entity ${entity.name}`,
        rule: 'hot item',
        message: `its hottest item takes ${Math.round(heat)} write units a second from ${[...new Set(names)].join(', ')}; a partition gives ${limit}, and no sharding splits one item`,
        fix: counts
          ? "Let the counter spread over several items (spread: 'shards'), or add it up from the stream."
          : 'Append an item for each change and aggregate them from the stream, or spread the counter among them.',
      },
    ];
  });
}

function hits(step: WriteStep): boolean {
  return step.kind !== 'create' && !(step.kind === 'count' && step.spread === 'shards');
}

function hottestItem(facts: ModelFacts, entity: Entity, { skew }: WritePattern): number {
  return facts.hottestShare(entity, entity.identity, skew, new Set(), true);
}

/** Identities that no table key has room for, however they are divided between its two attributes. */
export function keySizeTroubles(facts: ModelFacts): Trouble[] {
  const { partitionKeyBytesMax, sortKeyBytesMax } = itemLimits;
  return facts.model.entities.flatMap((entity): Trouble[] => {
    const sizes = entity.identity.map((name) => facts.keyBytes(entity, name).max);
    const total = sizes.reduce((sum, one) => sum + one, 0);
    if (total <= partitionKeyBytesMax + sortKeyBytesMax && Math.max(...sizes) <= partitionKeyBytesMax)
      return [];
    return [
      {
        where: `entity ${entity.name}`,
        rule: 'key size',
        message: `its identity may reach ${total} bytes; partition keys end at ${partitionKeyBytesMax.toLocaleString('en-US')}, sort keys at ${sortKeyBytesMax.toLocaleString('en-US')}`,
        fix: 'Declare smaller maxima, or let a digest of the value identify the item.',
      },
    ];
  });
}

/** Items that can grow beyond what the service stores. */
export function sizeTroubles(model: Model, limit: number, largest: (entity: Entity) => number): Trouble[] {
  return model.entities
    .filter((entity) => largest(entity) > limit)
    .map((entity) => ({
      where: `entity ${entity.name}`,
      rule: 'item size',
      message: `an item may reach ${Math.round(largest(entity) / 1024)} KB, and 400 KB is the limit`,
      fix: 'Split it into several items under one partition key, or keep the large attribute outside of the table.',
    }));
}
