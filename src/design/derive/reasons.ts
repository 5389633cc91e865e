import type { Claim } from '../certificate/certificate.ts';
import type { TableDesign } from '../design.ts';
import type { Entity, ReadPattern } from '../ir.ts';
import { canonical } from '../predicate-logic.ts';
import { namesOf } from './entity-problem.ts';
import type { LabelledBlock } from './render.ts';

/** Two sentences for each decision, in the words of the model, so that a reviewer can argue with them. */
export function placementReason({ problem, block, slot, copy, family }: LabelledBlock): string {
  const { entity } = problem;
  const patterns = listed(block.variants.map(({ pattern }) => pattern.name));
  const one = block.variants.length === 1;
  const names = namesOf(problem, block.layout.partition);
  const spread = names.length === 0 ? 'one constant' : listed(names);
  const when = problem.atoms
    .filter((_, at) => (block.layout.predicate >> at) & 1)
    .map(({ predicate }) => canonical(predicate));
  const shards =
    block.cost.shards > 1
      ? ` ${block.cost.shards} shards keep the hottest value within a partition's ceiling at the peak.`
      : '';
  if (copy !== undefined) {
    return `${patterns} ${one ? 'reads' : 'read'} ${entity.name} strongly by another key, which no index can answer. A second item under ${spread} is written in the same transaction as the first.${shards}`;
  }
  if (slot === 'table') {
    const writers = [
      ...new Set(problem.steps.filter(({ step }) => step.kind !== 'create').map(({ write }) => write.name)),
    ];
    const addressed =
      writers.length === 0
        ? `No write addresses an existing ${entity.name}.`
        : `${listed(writers)} can compute this key from what the caller gives.`;
    if (patterns === '')
      return `No pattern reads ${entity.name} from the table, so its identity alone spreads the items. ${addressed}${shards}`;
    const beside =
      family === undefined ? '' : ` beside ${listed(family.members.filter((one) => one !== entity.name))}`;
    return `The table key answers ${patterns}${beside} under ${spread}. ${addressed}${shards}`;
  }
  const sparse =
    when.length === 0
      ? `It holds every ${entity.name} that has these attributes.`
      : `It holds an item only while ${listed(when)}, so it stays small and a write that ends that state removes the entry.`;
  return `${patterns} ${one ? 'asks' : 'ask'} by ${spread}${orderText(block.variants[0]?.pattern)}, which the other placements of ${entity.name} cannot deliver. ${sparse}${shards}`;
}

function orderText(pattern: ReadPattern | undefined): string {
  if (pattern === undefined) return '';
  const order = pattern.order.map(({ attribute, direction }) => `${attribute} ${direction}`);
  const range =
    pattern.range === undefined
      ? ''
      : ` within a ${pattern.range.kind === 'prefix' ? 'prefix' : 'range'} of ${pattern.range.attribute}`;
  return `${range}${order.length === 0 ? '' : ` in the order ${order.join(', ')}`}`;
}

export function planReason(pattern: ReadPattern, block: LabelledBlock, calls: number): string {
  const where = block.slot === 'table' ? 'the table' : block.slot;
  const bound = pattern.page === 'all' ? 'every match' : `at most ${pattern.page} items a page`;
  const each = calls === 1 ? 'One call reads' : `${calls} parallel calls, one for each shard, read`;
  const merged = calls === 1 ? '' : ' and are merged in order';
  return `${each} ${bound} from ${where}${merged}. ${
    pattern.consistency === 'strong'
      ? 'The read is strongly consistent.'
      : 'The read is eventually consistent, at half the price.'
  }`;
}

export function indexReason(
  kind: 'global' | 'local',
  blocks: readonly LabelledBlock[],
  claims: readonly Claim[],
): string {
  const patterns = [
    ...new Set(blocks.flatMap(({ block }) => block.variants.map(({ pattern }) => pattern.name))),
  ].sort();
  const served = listed(patterns);
  const entities = listed([...new Set(blocks.map(({ problem }) => problem.entity.name))].sort());
  const why =
    kind === 'local'
      ? 'Strong reads in another order of the same partition leave no other way.'
      : whyNeeded(claims);
  return `${served} ${patterns.length === 1 ? 'reads' : 'read'} ${entities} here. ${why}`;
}

/** Of all claims, the one that excludes most: it is why the table has as many global indexes as it has. */
function whyNeeded(claims: readonly Claim[]): string {
  const [claim] = claims.toSorted((a, b) => b.globals - a.globals);
  if (claim === undefined) return 'Keys by hand decide about the number of indexes.';
  const room = claim.globals === 0 ? 'the table alone' : `${claim.globals + 1} slots`;
  if (claim.proof.kind !== 'clique')
    return `The patterns of ${listed(claim.entities)} do not fit ${room}; the certificate tries every distribution.`;
  const { patterns, inTable } = claim.proof;
  const table = inTable === 0 ? 'the table can answer none of them' : 'the table can answer one at most';
  return `${listed(patterns)} need keys of their own, and ${table}, so fewer indexes cannot do.`;
}

/** `apart` is the table without any embedding, if that is possible. */
export function embeddingReason(
  { name, population, mayEmbed }: Entity,
  table: TableDesign,
  apart: TableDesign | undefined,
): string {
  if (population.kind !== 'per') throw new Error(`${name} is counted per nothing`);
  const { entity, mean, max } = population;
  const bound = `Each ${entity} has ${mean} ${name} on average and ${max} at most, which fit into its "${mayEmbed}".`;
  if (apart === undefined) return `${bound} With items of their own no design answers every pattern.`;
  const fewer = apart.indexes.length - table.indexes.length;
  if (fewer > 0)
    return `${bound} Items of their own would need ${fewer} more ${fewer === 1 ? 'index' : 'indexes'}.`;
  const price = (monthly: number) => `$${monthly.toFixed(2)}`;
  return `${bound} The table costs ${price(table.monthly)} a month with what it embeds and ${price(apart.monthly)} without.`;
}

function listed(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
