import {
  type Claim,
  type Design,
  hottestShard,
  type Model,
  type Placement,
  type Plan,
  predicateText,
  type ReadPattern,
  storedModel,
  type TableDesign,
  templateText,
} from '../../design/index.ts';
import { counted } from '../../model/counted.ts';
import type { Styler } from '../output.ts';
import { dollars, grid, paragraph } from './text-grid.ts';

/** A design as a reviewer reads it: keys, plans, indexes, then why, and what would be dearer. */
export function designText(asked: Model, design: Design, style: Styler): string {
  const model = storedModel(asked, design);
  const lines = design.tables.flatMap((table, at) => [
    ...(at === 0 ? [] : ['']),
    ...tableLines(model, table, style),
  ]);
  return lines.join('\n');
}

function tableLines(model: Model, table: TableDesign, style: Styler): string[] {
  const globals = table.indexes.filter(({ kind }) => kind === 'global').length;
  const locals = table.indexes.length - globals;
  const counts = [
    counted(table.entities.length, 'entity'),
    counted(globals, 'global index'),
    ...(locals === 0 ? [] : [counted(locals, 'local index')]),
  ];
  return [
    `${style('bold', `Table ${table.name}`)}  ${counts.join(', ')}, ${dollars(table.monthly)} a month on demand`,
    ...section('Keys', keyLines(table, style), style),
    ...section('Access patterns', planLines(model, table, style), style),
    ...section('Indexes', indexLines(table, style), style),
    ...section('Embedded', embeddedLines(table, style), style),
    ...section('Satellites', satelliteLines(table, style), style),
    ...section('Why', reasonLines(table, style), style),
    ...section('Heat at the peak', heatLines(table, style), style),
    ...section('Fewer or more indexes', proofLines(table, style), style),
  ];
}

function section(title: string, lines: readonly string[], style: Styler): string[] {
  return lines.length === 0 ? [] : ['', style('bold', title), ...lines];
}

/** Entities without items of their own, and those that keep theirs although the model would let them lie inside. */
function embeddedLines({ embedded = [], apart = [] }: TableDesign, style: Styler): string[] {
  return [
    ...embedded.flatMap(({ entity, parent, attribute, entryKey, reason }) => [
      `  ${style('bold', entity)} in ${parent}.${attribute}${entryKey.length === 0 ? '' : `{${entryKey.join('#')}}`}`,
      ...paragraph(reason, 4),
    ]),
    ...apart.flatMap(({ reason }) => paragraph(reason, 2)),
  ];
}

function keyLines({ placements, partitionKey, sortKey }: TableDesign, style: Styler): string[] {
  let last = '';
  const rows = placements.map((placement) => {
    const name = placement.entity === last ? '' : placement.entity;
    last = placement.entity;
    return [
      name,
      placement.copy === undefined ? placement.slot : `copy ${placement.copy}`,
      templateText(placement.partition),
      templateText(placement.sort),
      placement.when.map(predicateText).join(' and '),
      placement.serves.join(' '),
    ];
  });
  return grid(
    [
      'Entity',
      'Slot',
      `Partition key (${partitionKey}, …PK)`,
      `Sort key (${sortKey}, …SK)`,
      'Only while',
      'Answers',
    ],
    rows,
    style,
  );
}

function planLines({ reads }: Model, table: TableDesign, style: Styler): string[] {
  const places = new Map(reads.map(({ name }, at) => [name, at]));
  const inOrder = [...table.plans].sort((a, b) => places.get(a.pattern)! - places.get(b.pattern)!);
  const rows = inOrder.map((plan) => {
    const pattern = reads.find(({ name }) => name === plan.pattern);
    return [
      plan.pattern,
      pattern?.description ?? '',
      plan.calls === 1 ? plan.operation : `${plan.calls} × ${plan.operation}`,
      plan.copy === undefined ? plan.slot : `copy ${plan.copy}`,
      sortText(plan),
      pageText(plan, pattern),
    ];
  });
  return grid(['', 'Pattern', 'Plan', 'On', 'Sort key', 'Reads'], rows, style);
}

function sortText({ sort }: Plan): string {
  switch (sort.kind) {
    case 'none':
      return 'any';
    case 'equals':
      return `= ${sort.text}`;
    case 'prefix':
      return `begins with ${sort.text}`;
    case 'between':
      return `${sort.from} … ${sort.to}`;
  }
}

function pageText(plan: Plan, pattern: ReadPattern | undefined): string {
  const parts = [
    plan.operation === 'GetItem' ? 'one' : plan.limit === 'all' ? 'all' : `${plan.limit} a page`,
    ...(plan.forward || plan.operation === 'GetItem' ? [] : ['backwards']),
    ...(pattern?.consistency === 'strong' ? ['strong'] : []),
    ...(plan.filter.length === 0 ? [] : [`filter ${plan.filter.join(' and ')}`]),
    ...(plan.fetch ? ['then fetch'] : []),
  ];
  return parts.join(', ');
}

function indexLines({ indexes, placements }: TableDesign, style: Styler): string[] {
  return indexes.flatMap(({ name, kind, partitionKey, sortKey, projection, attributeKeys, reason }) => {
    const entities = [...new Set(placements.filter(({ slot }) => slot === name).map(({ entity }) => entity))];
    const shape = entities.length > 1 ? `overloaded by ${entities.join(', ')}` : `holds ${entities.join('')}`;
    const projected =
      projection.type === 'INCLUDE' ? `INCLUDE ${projection.names.join(', ')}` : projection.type;
    return [
      `  ${style('bold', name)}  ${kind}, ${partitionKey} and ${sortKey}, ${shape}`,
      ...paragraph(`projects ${projected}`, 4),
      ...(attributeKeys === undefined
        ? []
        : paragraph(
            `or with several key attributes: HASH ${attributeKeys.hash.join(', ')}; RANGE ${attributeKeys.range.join(', ')}`,
            4,
          )),
      ...paragraph(reason, 4),
    ];
  });
}

function satelliteLines({ satellites }: TableDesign, style: Styler): string[] {
  return satellites.flatMap(({ kind, key, writes, monthly, reason }) => [
    `  ${style('bold', key)}  ${kind}, by ${writes.join(', ')}, ${dollars(monthly)} a month`,
    ...paragraph(reason, 4),
  ]);
}

function reasonLines({ placements, entities }: TableDesign, style: Styler): string[] {
  return entities.flatMap((name) =>
    placements
      .filter(({ entity }) => entity === name)
      .flatMap((placement) => [
        `  ${style('bold', name)} in ${placeText(placement)}  ${style('dim', `${dollars(placement.monthly)} a month`)}`,
        ...paragraph(placement.reason, 4),
      ]),
  );
}

/** The hottest value of each placement against what its partitions may give, from the certificate. */
function heatLines({ certificate }: TableDesign, style: Styler): string[] {
  const rows = (certificate.heat ?? []).map(
    ({ entity, slot, copy, writes, reads, demand, ceiling, shards }) => {
      const share = Math.max(
        hottestShard(writes, shards) / ceiling.write,
        hottestShard(reads, shards) / ceiling.read,
      );
      const lines = demand.write / ceiling.write >= demand.read / ceiling.read ? writes : reads;
      const [most] = [...lines].sort((a, b) => b.units * b.peak * b.share - a.units * a.peak * a.share);
      return [
        entity,
        copy === undefined ? slot : `copy ${copy}`,
        unitsText(demand.write),
        unitsText(demand.read),
        `${shards === 1 ? '' : `${shards} × `}${unitsText(ceiling.write)} and ${unitsText(ceiling.read)}`,
        `${Math.round(share * 100)} %`,
        most?.pattern ?? '',
      ];
    },
  );
  return grid(['Entity', 'Slot', 'Writes/s', 'Reads/s', 'May take', 'Used', 'Mostly'], rows, style);
}

function unitsText(units: number): string {
  if (units > 0 && units < 0.1) return '< 0.1';
  return units < 10 ? units.toFixed(1) : Math.round(units).toLocaleString('en-US');
}

function placeText({ slot, copy }: Placement): string {
  if (copy !== undefined) return `copy ${copy}`;
  return slot === 'table' ? 'the table' : slot;
}

function proofLines({ certificate, frontier, proved }: TableDesign, style: Styler): string[] {
  const lines = certificate.claims.flatMap((claim) => paragraph(claimText(claim), 2));
  if (!proved)
    lines.push(
      ...paragraph('The search was cut short: this is the best design found, not proved to be the best.', 2),
    );
  if (frontier.length < 2) return [...lines, '  No design with more indexes costs less.'];
  const first = frontier[0]!.monthly;
  const rows = frontier.map(({ globalIndexes, monthly }, at) => [
    counted(globalIndexes, 'global index'),
    dollars(monthly),
    at === 0 ? 'this design' : `saves ${dollars(first - monthly)}`,
  ]);
  return [...lines, ...grid(['Indexes', 'A month', ''], rows, style)];
}

/** What a claim of the certificate says, and on what it rests. */
function claimText({ copies, locals, globals, entities, proof }: Claim): string {
  const room = [
    counted(globals, 'global index'),
    ...(locals > 0 ? [counted(locals, 'local index')] : []),
    ...(copies > 0 ? [counted(copies, 'copy')] : []),
  ].join(', ');
  const who = entities.join(', ');
  switch (proof.kind) {
    case 'clique': {
      const table = proof.inTable === 1 ? 'one of them can use the table' : 'none of them can use the table';
      return `${room} cannot do for ${who}: no two of ${proof.patterns.join(', ')} can share a key, and ${table}.`;
    }
    case 'tree':
      return `${room} cannot do for ${who}: every way to distribute ${proof.order.join(', ')} ends in a key that cannot serve (certificate: an enumerated refutation).`;
    case 'searched':
      return `${room} cannot do for ${who}: the search tried every distribution; with the declared heat none is valid.`;
    case 'unproved':
      return `${room} were not enough for ${who} as far as the search went; it was cut short, so this is not proved.`;
  }
}
