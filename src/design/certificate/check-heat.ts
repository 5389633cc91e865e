import { utf8Length } from '../../model/values/utf8.ts';
import { partitionCeilings } from '../../physics/partition-use.ts';
import { itemWriteUnits, readUnits, transactionFactor } from '../../physics/units.ts';
import { entryWrites, keyNames } from '../check/entry-writes.ts';
import type { Placement, Plan, TableDesign } from '../design.ts';
import type { Entity, Piece, ReadPattern, WritePattern, WriteStep } from '../ir.ts';
import type { Trouble } from '../model-error.ts';
import type { ModelFacts } from '../model-facts.ts';
import { canonical } from '../predicate-logic.ts';
import { writeFactor } from '../write-charges.ts';
import { type HeatClaim, type HeatLine, hottestShard } from './certificate.ts';

/** Sums of the same numbers in another order differ by less. */
const tolerance = 1e-6;

/**
 * Verifies the heat of a certificate from the finished key templates: that every placement has its claim, that each line
 * is what the model's rates come down to, that no partition is asked for more than its ceiling, and that fewer shards
 * would not do. Written apart from the search, which it shares the model's numbers with and nothing else.
 */
export function checkHeat(facts: ModelFacts, table: TableDesign): Trouble[] {
  const derived = table.placements.filter(({ entity }) => facts.entity(entity).keys === undefined);
  // Design files of earlier versions carry no heat.
  const claims = table.certificate.heat ?? [];
  const troubles: Trouble[] = [];
  const report = (where: string, message: string) => troubles.push({ where, rule: 'heat', message });
  if (claims.length !== derived.length)
    report(
      `table ${table.name}`,
      `the certificate has ${claims.length} heat claims for ${derived.length} placements`,
    );
  for (const placement of derived) {
    const where = `entity ${placement.entity}`;
    const claim = claims.find((one) => isOf(one, placement));
    if (claim === undefined) {
      report(where, `nothing shows how hot ${placement.slot} gets`);
      continue;
    }
    for (const message of falseStatements(facts, table, placement, claim))
      report(where, `${placement.slot}: ${message}`);
    const why = whyTooHot(table, placement, claim) ?? whyTooManyShards(facts, table, placement, claim);
    if (why !== undefined) report(where, `${placement.slot}: ${why}`);
  }
  return troubles;
}

function isOf(claim: HeatClaim, { entity, slot, copy }: Placement): boolean {
  return claim.entity === entity && claim.slot === slot && claim.copy === copy;
}

function falseStatements(
  facts: ModelFacts,
  table: TableDesign,
  placement: Placement,
  claim: HeatClaim,
): string[] {
  const { headroom } = facts.model.environment;
  const { demand, ceiling, shards } = claim;
  const spread = placement.partition.reduce((all, one) => (one.kind === 'shard' ? all * one.count : all), 1);
  const found: string[] = [];
  if (shards !== spread || shards !== placement.shards)
    found.push(`the key has ${spread} shards, and the claim says ${shards}`);
  for (const kind of ['write', 'read'] as const) {
    const lines = kind === 'write' ? claim.writes : claim.reads;
    const right =
      kind === 'write'
        ? writeLines(facts, table, placement, placement.shards)
        : readLines(facts, table, placement, placement.shards);
    if (!same(ceiling[kind], headroom * partitionCeilings[kind]))
      found.push(`${ceiling[kind]} ${kind} units a second are not ${headroom} of ${partitionCeilings[kind]}`);
    if (!same(demand[kind], demandOf(lines)))
      found.push(`its ${kind} lines do not add up to ${demand[kind]}`);
    if (!sameLines(lines, right))
      found.push(`its ${kind} lines are not what the patterns of the model cause`);
  }
  return found;
}

/** Placements with one partition template lie in the same partitions: a family's demands add up. */
function whyTooHot(table: TableDesign, placement: Placement, claim: HeatClaim): string | undefined {
  const own = templateOf(placement);
  const beside = table.placements.filter((one) => one.slot === placement.slot && templateOf(one) === own);
  for (const kind of ['write', 'read'] as const) {
    const demand = beside.reduce((sum, one) => {
      const found = table.certificate.heat.find((each) => isOf(each, one));
      if (found === undefined) return sum;
      return sum + hottestShard(kind === 'write' ? found.writes : found.reads, claim.shards);
    }, 0);
    const most = claim.ceiling[kind];
    if (demand > most * (1 + tolerance))
      return `the hottest of its ${claim.shards} partitions takes ${Math.round(demand)} ${kind} units a second, and may give ${Math.round(most)}`;
  }
  return undefined;
}

/**
 * One shard less must be too hot: N = ceil(demand / ceiling). Families count reads that are sent elsewhere in the end,
 * and a table has the shards of its local indexes, so there more shards than that may be right.
 */
function whyTooManyShards(
  facts: ModelFacts,
  table: TableDesign,
  placement: Placement,
  { shards, ceiling }: HeatClaim,
): string | undefined {
  const local = (slot: string) => table.indexes.some(({ name, kind }) => name === slot && kind === 'local');
  const tied =
    placement.family !== undefined ||
    local(placement.slot) ||
    (placement.slot === 'table' &&
      placement.copy === undefined &&
      table.placements.some(({ entity, slot }) => entity === placement.entity && local(slot)));
  if (shards === 1 || tied) return undefined;
  const fewer = shards - 1;
  const enough =
    hottestShard(writeLines(facts, table, placement, fewer), fewer) <= ceiling.write &&
    hottestShard(readLines(facts, table, placement, fewer), fewer) <= ceiling.read;
  return enough ? `${fewer} shards would do for its demand` : undefined;
}

// ---- the lines, from the templates

function writeLines(facts: ModelFacts, table: TableDesign, placement: Placement, shards: number): HeatLine[] {
  const entity = facts.entity(placement.entity);
  const size = bytesIn(facts, table, placement);
  return facts.model.writes.flatMap((write) =>
    write.steps
      .filter((step) => step.entity === entity.name)
      .map((step) => ({
        pattern: write.name,
        units: unitsOf(facts, table, placement, size, write, step),
        peak: write.rate.peak,
        ...withItem(shards, (names) =>
          facts.hottestShare(entity, names(placement), write.skew, facts.settledBy(write, step), true),
        ),
      }))
      .filter(({ units }) => units > 0),
  );
}

function unitsOf(
  facts: ModelFacts,
  table: TableDesign,
  placement: Placement,
  size: number,
  write: WritePattern,
  step: WriteStep,
): number {
  if (step.kind === 'count' && step.spread === 'shards') return 0;
  const units = itemWriteUnits(size, size) * step.count;
  if (isIndex(table, placement)) return units * entryWrites(facts, placement, step, placement.needs);
  const each = writeFactor(facts, write, step);
  if (placement.copy === undefined) return units * each;
  // The transaction that writes a copy makes the item's own write dearer too.
  return step.kind === 'require' ? 0 : units * (transactionFactor + transactionFactor - each);
}

function readLines(facts: ModelFacts, table: TableDesign, placement: Placement, shards: number): HeatLine[] {
  const entity = facts.entity(placement.entity);
  return table.plans
    .filter(
      ({ slot, copy, entities }) =>
        slot === placement.slot && copy === placement.copy && entities[0] === entity.name,
    )
    .map((plan) => {
      const pattern = facts.model.reads.find(({ name }) => name === plan.pattern)!;
      const several = plan.entities.length > 1;
      const single = !several && entity.identity.every((name) => pattern.by.includes(name));
      const calls = single ? 1 : shards;
      const bytes = several
        ? bytesTogether(facts, table, placement, pattern, calls)
        : (itemsOf(facts, entity, pattern, calls) * bytesIn(facts, table, placement)) /
          keptShare(facts, entity, pattern, plan);
      const fixed = pattern.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : []));
      return {
        pattern: pattern.name,
        units: calls * readUnits(Math.ceil(bytes - tolerance), pattern.consistency),
        peak: pattern.rate.peak,
        ...withItem(single ? shards : 1, (names) =>
          facts.hottestShare(entity, names(placement), pattern.skew, new Set(fixed), false),
        ),
      };
    });
}

/** Equality attributes that the key finds, not a filter. */
function namesKept({ by }: ReadPattern, { filter }: Plan): string[] {
  return by.filter((name) => !filter.includes(`${name} = :${name}`));
}

/** The share of the items read that the plan's filter keeps. */
function keptShare(facts: ModelFacts, entity: Entity, pattern: ReadPattern, plan: Plan): number {
  const kept = namesKept(pattern, plan);
  const byName = pattern.by
    .filter((name) => !kept.includes(name))
    .reduce((share, name) => share / facts.distinct(entity, name), 1);
  return pattern.where
    .filter((one) => plan.filter.includes(canonical(one)))
    .reduce((share, one) => share * facts.holds(entity, one), byName);
}

function itemsOf(facts: ModelFacts, entity: Entity, pattern: ReadPattern, calls: number): number {
  const { result, returns, entities, page } = pattern;
  const all =
    result === 'one'
      ? 1
      : returns !== undefined && entities.length === 1
        ? returns
        : facts.matching(entity, pattern.by, pattern.where);
  return Math.min(page === 'all' ? Number.POSITIVE_INFINITY : page, all / calls);
}

/** Bytes that one shard answers to a read of several kinds: of each at most a page. */
function bytesTogether(
  facts: ModelFacts,
  table: TableDesign,
  placement: Placement,
  pattern: ReadPattern,
  calls: number,
): number {
  return pattern.entities.reduce((sum, name) => {
    const entity = facts.entity(name);
    const whole = !isIndex(table, placement) || pattern.needs === undefined;
    const bytes = whole
      ? facts.itemBytes(entity)
      : facts.shortKeyBytes(entity) + keyNameBytes + facts.attributesBytes(entity, pattern.needs);
    return sum + itemsOf(facts, entity, pattern, calls) * bytes;
  }, 0);
}

const keyNameBytes = utf8Length('GSI1PKGSI1SK');

/** Bytes of an item, or of its index entry with what its own readers need. */
function bytesIn(facts: ModelFacts, table: TableDesign, placement: Placement): number {
  const entity = facts.entity(placement.entity);
  if (!isIndex(table, placement)) return facts.itemBytes(entity);
  const names = new Set(keyNames({ ...placement, partition: placement.partition.filter(isPlain) }));
  const keys = [...names].reduce((sum, name) => sum + 1 + facts.keyBytes(entity, name).mean, 0);
  const head = utf8Length(entity.name) + 1;
  return (
    facts.shortKeyBytes(entity) + keyNameBytes + head + keys + facts.attributesBytes(entity, placement.needs)
  );
}

function isIndex(table: TableDesign, { slot }: Placement): boolean {
  return table.indexes.some(({ name }) => name === slot);
}

function isPlain({ kind }: Piece): boolean {
  return kind !== 'shard';
}

function spreadBy({ partition }: Placement): string[] {
  return partition.flatMap((piece) => (piece.kind === 'attribute' ? [piece.attribute] : []));
}

/** What settles the partition together with its shard. */
function shardedBy({ partition }: Placement): string[] {
  return partition.flatMap((piece) =>
    piece.kind === 'attribute' ? [piece.attribute] : piece.kind === 'shard' ? [...piece.of] : [],
  );
}

/** The hottest value's share; and the hottest item's, which stays whole, if it exceeds an even part of the shards. */
function withItem(
  shards: number,
  shareBy: (names: (placement: Placement) => string[]) => number,
): Pick<HeatLine, 'share' | 'item'> {
  const share = shareBy(spreadBy);
  const item = shards === 1 ? 0 : shareBy(shardedBy);
  return item > share / shards ? { share, item } : { share };
}

/** Members of a family shard by their own identities and still share partitions. */
function templateOf({ partition }: Placement): string {
  return JSON.stringify(partition.map((piece) => (piece.kind === 'shard' ? { ...piece, of: [] } : piece)));
}

function demandOf(lines: readonly HeatLine[]): number {
  return lines.reduce((sum, { units, peak, share }) => sum + units * peak * share, 0);
}

function same(a: number, b: number): boolean {
  return Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b));
}

function sameLines(claimed: readonly HeatLine[], right: readonly HeatLine[]): boolean {
  if (claimed.length !== right.length) return false;
  const text = ({ pattern, units, peak, share, item = 0 }: HeatLine) =>
    `${pattern} ${units.toPrecision(8)} ${peak} ${share.toPrecision(8)} ${item.toPrecision(8)}`;
  const sorted = [...claimed].map(text).sort();
  return [...right]
    .map(text)
    .sort()
    .every((line, at) => line === sorted[at]);
}
