import { itemLimits } from '../../model/limits.ts';
import { mayMeet, segmentsOf } from '../certificate/serves.ts';
import type { Placement, TableDesign } from '../design.ts';
import type { Attribute, Piece } from '../ir.ts';
import { delimiter, templateText } from '../key-pieces.ts';
import { unsortable } from '../sort-order.ts';
import type { Finding } from './finding.ts';
import { amount, finding, type Subject } from './subject.ts';

/** What key templates alone tell: identity, collisions, order, size, tenancy. */
export function checkKeys(subject: Subject): Finding[] {
  return subject.design.tables.flatMap((table) => [
    ...table.placements.flatMap((placement) => [
      ...identity(subject, placement),
      ...delimiters(placement),
      ...changing(subject, placement),
      ...sizes(subject, placement),
      ...sorting(subject, placement),
      ...coarseToFine(subject, placement),
      ...tenancy(subject, placement),
    ]),
    ...collisions(table),
  ]);
}

export function whereOf({ entity, slot, copy }: Placement): string {
  if (copy !== undefined) return `entity ${entity}, copy ${copy}`;
  return `entity ${entity} in ${slot === 'table' ? 'the table' : slot}`;
}

function identity({ facts }: Subject, placement: Placement): Finding[] {
  // An index may hold several items under one key; only table keys must differ.
  if (placement.slot !== 'table') return [];
  const entity = facts.entity(placement.entity);
  const names = [...placement.partition, ...placement.sort].flatMap((piece) =>
    piece.kind === 'attribute' ? [piece.attribute] : [],
  );
  const missing = entity.identity.filter((name) => !names.includes(name));
  if (missing.length === 0) return [];
  return [
    finding('key-lacks-identity', whereOf(placement), {
      message: `the key lacks ${missing.join(', ')}: ${entity.name} items that differ only in it overwrite each other`,
      number: { value: missing.length, limit: 0, unit: 'identity attributes missing' },
      fix: `End the sort key with ${missing.map((name) => `{${name}}`).join(delimiter)}.`,
    }),
  ];
}

/** Two values next to each other, or a value directly after letters that another kind's head goes on with. */
function delimiters(placement: Placement): Finding[] {
  const troubles = [placement.partition, placement.sort].flatMap((pieces) =>
    pieces.flatMap((piece, at) => {
      const next = pieces[at + 1];
      if (piece.kind === 'constant' || next === undefined) return [];
      return next.kind !== 'constant' || !/^[^A-Za-z0-9]/.test(next.text)
        ? [templateText([piece, next])]
        : [];
    }),
  );
  return troubles.map((text) =>
    finding('missing-delimiter', whereOf(placement), {
      message: `no delimiter separates ${text}: different values give the same key`,
      fix: `Write ${delimiter} between them.`,
    }),
  );
}

function changing({ facts, model }: Subject, placement: Placement): Finding[] {
  if (placement.slot !== 'table') return [];
  const entity = facts.entity(placement.entity);
  const names = new Set([...placement.partition, ...placement.sort].flatMap(namesOf));
  return [...names].flatMap((name) => {
    if (entity.identity.includes(name) || entity.fixed.includes(name)) return [];
    const writers = model.writes.filter(({ steps }) =>
      steps.some(
        (step) =>
          step.entity === entity.name &&
          ((step.kind === 'change' && step.sets.some(({ attribute }) => attribute === name)) ||
            (step.kind === 'count' && step.attribute === name)),
      ),
    );
    const { optional } = facts.attribute(entity, name);
    if (writers.length === 0 && !optional) return [];
    return [
      finding('key-changes', whereOf(placement), {
        message:
          writers.length > 0
            ? `"${name}" stands in the table key, and ${writers.map((one) => one.name).join(', ')} changes it`
            : `"${name}" stands in the table key, and items may lack it`,
        fix: `Move "${name}" into the key of an index.`,
      }),
    ];
  });
}

function sizes({ facts }: Subject, placement: Placement): Finding[] {
  const entity = facts.entity(placement.entity);
  const longest = (pieces: readonly Piece[]) =>
    pieces.reduce((sum, piece) => {
      if (piece.kind === 'constant') return sum + piece.text.length;
      if (piece.kind === 'shard') return sum + String(piece.count - 1).length;
      return sum + facts.keyBytes(entity, piece.attribute).max;
    }, 0);
  const found: Finding[] = [];
  for (const [pieces, limit, what] of [
    [placement.partition, itemLimits.partitionKeyBytesMax, 'partition'],
    [placement.sort, itemLimits.sortKeyBytesMax, 'sort'],
  ] as const) {
    const bytes = longest(pieces);
    if (bytes <= limit) continue;
    found.push(
      finding('key-size', whereOf(placement), {
        message: `the ${what} key ${templateText(pieces)} may reach ${amount(bytes)} bytes, and ${amount(limit)} is the limit`,
        number: { value: bytes, limit, unit: 'bytes' },
        fix: 'Declare a smaller maximum, or put a hash of the value into the key.',
      }),
    );
  }
  return found;
}

/** Pieces that some reader relies on for order must sort as their values do. */
function sorting({ facts, model }: Subject, placement: Placement): Finding[] {
  const entity = facts.entity(placement.entity);
  return placement.sort.flatMap((piece) => {
    if (piece.kind !== 'attribute') return [];
    const attribute = facts.attribute(entity, piece.attribute);
    const readers = model.reads.filter(
      (read) =>
        placement.serves.includes(read.name) &&
        [...read.order.map((one) => one.attribute), read.range?.attribute].includes(piece.attribute),
    );
    const why = unsortable(attribute);
    if (why === undefined || readers.length === 0) return [];
    return [
      finding(attribute.type.kind === 'number' ? 'zero-padding' : 'order-by-key', whereOf(placement), {
        message: `${why}, and ${readers.map(({ name }) => name).join(', ')} relies on it`,
        fix: fixOrder(attribute),
      }),
    ];
  });
}

function fixOrder({ type }: Attribute): string {
  if (type.kind === 'number') return 'Add an offset so that no value is negative, and pad it with zeros.';
  return 'Declare values with an order: time(), levels(), plainText() or a number.';
}

/** A fine piece before a coarse one, where no reader fixes the fine one: ranges over the coarse one are lost. */
function coarseToFine({ facts, model }: Subject, placement: Placement): Finding[] {
  const entity = facts.entity(placement.entity);
  const pieces = placement.sort.flatMap((piece) => (piece.kind === 'attribute' ? [piece.attribute] : []));
  const used = new Set(
    model.reads
      .filter(({ name }) => placement.serves.includes(name))
      .flatMap((read) => [
        ...read.by,
        ...read.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])),
        ...read.order.map(({ attribute }) => attribute),
        ...(read.range === undefined ? [] : [read.range.attribute]),
      ]),
  );
  for (const [at, fine] of pieces.entries()) {
    const coarse = pieces
      .slice(at + 1)
      .find((name) => facts.distinct(entity, name) < facts.distinct(entity, fine));
    if (coarse === undefined || used.has(fine)) continue;
    // An identity attribute at the end only tells instances apart.
    if (entity.identity.includes(coarse) && !used.has(coarse)) continue;
    return [
      finding('coarse-to-fine', whereOf(placement), {
        message: `"${fine}" (${amount(facts.distinct(entity, fine))} values) stands before "${coarse}" (${amount(facts.distinct(entity, coarse))} values), so that no range over "${coarse}" is possible`,
        number: {
          value: facts.distinct(entity, fine),
          limit: facts.distinct(entity, coarse),
          unit: 'values',
        },
        fix: `Write {${coarse}} before {${fine}}.`,
      }),
    ];
  }
  return [];
}

function tenancy({ model, facts }: Subject, placement: Placement): Finding[] {
  const { tenancy: rule } = model.environment;
  if (rule === undefined || rule.except.includes(placement.entity)) return [];
  const lead = placement.partition.find((piece) => piece.kind !== 'constant');
  const before = placement.partition[0];
  // A constant before the tenant is fine for LeadingKeys as long as it is the same for all of the tenant's items.
  if (lead?.kind === 'attribute' && lead.attribute === rule.attribute && before === lead) return [];
  return [
    finding('tenant-leads', whereOf(placement), {
      message: `the partition key ${templateText(placement.partition)} does not begin with "${rule.attribute}"`,
      fix: `Begin it with {${rule.attribute}}, or list ${facts.entity(placement.entity).name} under the tenancy's exceptions.`,
    }),
  ];
}

/** Full keys of different entities, and of an item and its copies, can never be the same text. */
function collisions(table: TableDesign): Finding[] {
  const items = table.placements.filter(({ slot }) => slot === 'table');
  return items.flatMap((one, at) =>
    items.slice(at + 1).flatMap((other) => {
      const meet =
        mayMeet(segmentsOf(one.partition), segmentsOf(other.partition), true) &&
        mayMeet(segmentsOf(one.sort), segmentsOf(other.sort), true);
      if (!meet) return [];
      return [
        finding('key-collision', whereOf(one), {
          message: `its key ${keyText(one)} can equal the key ${keyText(other)} of ${other.entity}`,
          fix: 'Begin the keys of each kind with a constant of its own.',
        }),
      ];
    }),
  );
}

function keyText({ partition, sort }: Placement): string {
  return `${templateText(partition)} / ${templateText(sort)}`;
}

function namesOf(piece: Piece): string[] {
  return piece.kind === 'attribute' || piece.kind === 'bucket' ? [piece.attribute] : [];
}
