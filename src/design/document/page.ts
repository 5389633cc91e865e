import type { Claim } from '../certificate/certificate.ts';
import type { TableDesign } from '../design.ts';
import {
  collections,
  type DocumentRows,
  indexesOf,
  peakText,
  plainAttributes,
  writeUnitsText,
} from './document-rows.ts';
import { type EntityMark, entityMarks } from './entity-marks.ts';
import { dollars, figure, shortBytes, shortCount } from './figures.ts';
import { pageStyle } from './page-style.ts';
import { escapeXml as escaped, inlineSvg, type Picture } from './svg.ts';

/** The document as one HTML file: style and pictures inside, no scripts, nothing loaded from elsewhere. */
export function htmlDocument(rows: DocumentRows, pictures: ReadonlyMap<string, Picture>): string {
  const { model, design } = rows;
  const marks = entityMarks(model);
  const many = design.tables.length > 1;
  const idOf = (table: TableDesign) => `table-${table.name}`;
  const links: readonly (readonly [string, string])[] = [
    ['patterns', 'Access patterns'],
    ...(rows.conditional.length === 0 ? [] : [['conditional', 'Conditional writes'] as const]),
    ['load', 'Load'],
    ['keys', 'Keys'],
    ['why', 'Why it is so'],
  ];
  const body = [
    '<div class="page">',
    '<nav>',
    `<div class="name">${escaped(model.name)}</div>`,
    ...links.map(([id, title]) => `<a href="#${id}">${title}</a>`),
    ...design.tables.flatMap((table) => [
      `<div class="group">${many ? `Table ${escaped(table.name)}` : 'The table'}</div>`,
      `<a href="#${idOf(table)}">Item collections</a>`,
      ...table.indexes.map(({ name }) => `<a href="#${idOf(table)}-${escaped(name)}">${escaped(name)}</a>`),
    ]),
    '</nav>',
    '<main>',
    `<h1>${escaped(model.name)}</h1>`,
    `<p class="dim">${escaped(model.description ?? '')}</p>`,
    facts(rows),
    `<div class="wide">${pictureOf(pictures, 'entities')}</div>`,
    `<h2 id="patterns">Access patterns</h2>`,
    readGrid(rows, marks),
    writeGrid(rows),
    '<p class="dim">Units are capacity units of one call, index writes included. Prices are on demand, at the mean rates.</p>',
    ...conditionalParts(rows),
    `<h2 id="load">Load</h2>`,
    `<div class="wide">${pictureOf(pictures, 'load')}</div>`,
    `<h2 id="keys">Keys</h2>`,
    keyGrid(rows, marks, many),
    ...design.tables.flatMap((table) => tableParts(rows, table, idOf(table), marks, pictures)),
    `<h2 id="why">Why it is so</h2>`,
    ...why(rows, marks),
    '</main>',
    '</div>',
  ];
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escaped(model.name)}: tables and access patterns</title>`,
    `<style>\n${pageStyle}\n</style>`,
    '</head>',
    '<body>',
    ...body,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function pictureOf(pictures: ReadonlyMap<string, Picture>, name: string): string {
  const found = pictures.get(name);
  return found === undefined ? '' : inlineSvg(found);
}

function facts({ model, design, reads }: DocumentRows): string {
  const indexes = design.tables.flatMap((table) => table.indexes).length;
  const one = (value: string, what: string) => `<div><b>${value}</b><span>${what}</span></div>`;
  return [
    '<div class="facts">',
    one(String(model.entities.length), 'entities'),
    one(String(reads.length), 'read patterns'),
    one(String(model.writes.length), 'write patterns'),
    one(String(design.tables.length), design.tables.length === 1 ? 'table' : 'tables'),
    one(String(indexes), indexes === 1 ? 'index' : 'indexes'),
    one(dollars(design.monthly), 'a month on demand'),
    ...(design.tables.every(({ proved }) => proved)
      ? ['<div><b class="proved">✓</b><span>proved minimal</span></div>']
      : []),
    '</div>',
  ].join('');
}

function mark(name: string, marks: ReadonlyMap<string, EntityMark>): string {
  const { colour, isSquare } = marks.get(name)!;
  return `<i class="mark${isSquare ? ' square' : ''}" style="background:var(--e${colour})"></i>`;
}

function entityLabel(name: string, marks: ReadonlyMap<string, EntityMark>): string {
  return `<span class="who">${mark(name, marks)}${escaped(name)}</span>`;
}

function code(text: string): string {
  return text === '' ? '' : `<code>${escaped(text)}</code>`;
}

/** A key template, which may go on in the next line behind each of its parts. */
function keyCode(text: string): string {
  return code(text).replaceAll('#', '#<wbr>');
}

/** Where something lies: an index by its name, the table by its own name if there are several. */
function slotLabel(slot: string, table?: string): string {
  const isIndex = slot !== 'table' && !slot.startsWith('copy');
  const name = slot === 'table' && table !== undefined ? table : slot;
  return `<span class="slot${isIndex ? ' index' : ''}">${escaped(name)}</span>`;
}

interface Cell {
  readonly html: string;
  readonly kind?: 'num' | 'keys' | 'template' | 'hit';
}

function grid(head: readonly Cell[], rows: readonly (readonly Cell[])[]): string {
  const cell = (tag: 'th' | 'td') => (one: Cell) =>
    `<${tag}${one.kind === undefined ? '' : ` class="${one.kind}"`}>${one.html}</${tag}>`;
  return [
    '<div class="wide"><table>',
    `<thead><tr>${head.map(cell('th')).join('')}</tr></thead>`,
    '<tbody>',
    ...rows.map((cells) => `<tr>${cells.map(cell('td')).join('')}</tr>`),
    '</tbody></table></div>',
  ].join('\n');
}

const num = (html: string): Cell => ({ html, kind: 'num' });
const plain = (text: string): Cell => ({ html: escaped(text) });

function readGrid({ reads, design }: DocumentRows, marks: ReadonlyMap<string, EntityMark>): string {
  const many = design.tables.length > 1;
  const told = reads.some(({ actor }) => actor !== '');
  return grid(
    [
      { html: '' },
      { html: 'Reads' },
      { html: 'Returns' },
      { html: 'Plan' },
      { html: 'Partition key, sort key' },
      { html: 'Answer' },
      ...(told ? [{ html: 'Actor' }] : []),
      num('Peak/s'),
      num('Units'),
      num('A month'),
    ],
    reads.map((row) => [
      { html: code(row.name) },
      plain(row.does),
      { html: row.entities.map((name) => entityLabel(name, marks)).join('<br>') },
      {
        html: `${slotLabel(row.slot, many ? row.table : undefined)} <span class="keys">${escaped(row.operation)}</span>`,
      },
      {
        // One below the other: next to each other they push the prices off a narrow screen.
        html: `${keyCode(row.partition)}${row.sort === '' ? '' : `<br>${keyCode(row.sort)}`}`,
        kind: 'template',
      },
      plain(row.page),
      ...(told ? [{ html: `<span class="dim">${escaped(row.actor)}</span>` }] : []),
      num(peakText(row)),
      num(figure(row.units)),
      num(dollars(row.monthly)),
    ]),
  );
}

function writeGrid({ writes }: DocumentRows): string {
  if (writes.length === 0) return '';
  return grid(
    [
      { html: '' },
      { html: 'Writes' },
      { html: 'Steps' },
      { html: '' },
      { html: 'Actor' },
      num('Peak/s'),
      num('Units'),
      num('A month'),
    ],
    writes.map((row) => [
      { html: code(row.name) },
      plain(row.does),
      { html: row.steps.map(escaped).join('<br>') },
      { html: row.isTransaction ? '<span class="slot">transaction</span>' : '' },
      { html: `<span class="dim">${escaped(row.actor)}</span>` },
      num(peakText(row)),
      num(writeUnitsText(row)),
      num(dollars(row.monthly)),
    ]),
  );
}

function conditionalParts({ conditional }: DocumentRows): string[] {
  if (conditional.length === 0) return [];
  return [
    '<h2 id="conditional">Conditional writes</h2>',
    '<p class="dim">Each write carries its conditions, here for sample items. DynamoDB refuses the write if one of them does not hold.</p>',
    grid(
      [{ html: '' }, { html: 'Action' }, { html: 'Key' }, { html: 'Update' }, { html: 'Condition' }],
      conditional.map((row, at) => [
        { html: conditional[at - 1]?.pattern === row.pattern ? '' : code(row.pattern) },
        { html: `<span class="keys">${escaped(row.operation)}</span>` },
        { html: keyCode(row.key), kind: 'template' },
        { html: code(row.update) },
        { html: code(row.condition) },
      ]),
    ),
  ];
}

function keyGrid(rows: DocumentRows, marks: ReadonlyMap<string, EntityMark>, many: boolean): string {
  return grid(
    [
      { html: 'Entity' },
      { html: 'In' },
      { html: 'Partition key' },
      { html: 'Sort key' },
      { html: 'Only while' },
      { html: 'Answers' },
      { html: 'Expires' },
      num('Items'),
      num('Size'),
    ],
    rows.entities.flatMap((entity) =>
      entity.keys.map((key, at): Cell[] => [
        { html: at === 0 ? entityLabel(entity.name, marks) : '' },
        { html: slotLabel(key.slot, many ? entity.table : undefined) },
        { html: keyCode(key.partition), kind: 'template' },
        { html: keyCode(key.sort), kind: 'template' },
        { html: code(key.when) },
        { html: key.serves.map(code).join(' ') },
        plain(at === 0 ? entity.expires : ''),
        num(at === 0 ? shortCount(entity.items) : ''),
        num(at === 0 ? shortBytes(entity.bytes) : ''),
      ]),
    ),
  );
}

function tableParts(
  rows: DocumentRows,
  table: TableDesign,
  id: string,
  marks: ReadonlyMap<string, EntityMark>,
  pictures: ReadonlyMap<string, Picture>,
): string[] {
  const samples = rows.samples.get(table.name)!;
  return [
    `<h2 id="${escaped(id)}">Item collections of ${escaped(table.name)}</h2>`,
    '<p class="dim">Sample items, made up from the model. Items that share a partition key lie together, in the order of the sort key.</p>',
    ...collections(table, samples, 10).map(({ partition, rows: own }) =>
      [
        '<div class="collection">',
        `<div class="head"><span class="mono">${escaped(partition)}</span><span class="dim">${own.length} ${own.length === 1 ? 'item' : 'items'}</span></div>`,
        '<div class="wide"><table><tbody>',
        ...own.map((row) => {
          const attributes = plainAttributes(table, row).map(
            ([name, value]) =>
              `<span><i>${escaped(name)}</i>${code(value.length > 40 ? `${value.slice(0, 39)}…` : value)}</span>`,
          );
          return `<tr><td>${entityLabel(row.entity, marks)}</td><td class="keys">${code(String(row.item[table.sortKey]))}</td><td class="attributes">${attributes.join(' ')}</td><td class="num">${indexesOf(
            table,
            row,
          )
            .map((name) => slotLabel(name))
            .join(' ')}</td></tr>`;
        }),
        '</tbody></table></div>',
        '</div>',
      ].join('\n'),
    ),
    ...(table.embedded === undefined
      ? []
      : [
          '<h3>Entities inside other items</h3>',
          grid(
            [{ html: 'Entity' }, { html: 'Attribute' }, { html: 'Why' }],
            table.embedded.map((one) => [
              plain(one.entity),
              { html: code(`${one.parent}.${one.attribute}`), kind: 'keys' },
              plain(one.reason),
            ]),
          ),
        ]),
    ...(table.satellites.length === 0
      ? []
      : [
          '<h3>Items that invariants call for</h3>',
          grid(
            [{ html: 'Key' }, { html: 'Kind' }, { html: 'Written by' }, { html: 'Why' }],
            table.satellites.map((one) => [
              { html: code(one.key), kind: 'keys' },
              plain(one.kind),
              { html: one.writes.map(code).join(' ') },
              plain(one.reason),
            ]),
          ),
        ]),
    ...table.indexes.flatMap((index) => {
      const projected =
        index.projection.type === 'INCLUDE'
          ? index.projection.names.map(code).join(' ')
          : index.projection.type;
      return [
        `<h2 id="${escaped(`${id}-${index.name}`)}">${escaped(index.name)} of ${escaped(table.name)}</h2>`,
        `<p>${escaped(index.reason)}</p>`,
        `<p class="dim">${index.kind === 'local' ? 'A local index. ' : ''}Projects ${projected}. Hollow marks are items that the index does not hold.</p>`,
        `<div class="wide">${pictureOf(pictures, `${table.name}-${index.name}`)}</div>`,
      ];
    }),
  ];
}

function why({ design, entities }: DocumentRows, marks: ReadonlyMap<string, EntityMark>): string[] {
  const reasons = entities.flatMap((entity) =>
    entity.keys.map((key): Cell[] => [
      { html: entityLabel(entity.name, marks) },
      { html: slotLabel(key.slot) },
      plain(key.reason),
    ]),
  );
  const claims = design.tables.flatMap((table) =>
    table.certificate.claims.map((claim) => `<p>${escaped(claimText(table, claim))}</p>`),
  );
  return [
    grid([{ html: 'Entity' }, { html: 'In' }, { html: 'Reason' }], reasons),
    ...(claims.length === 0 ? [] : ['<h3>Why fewer indexes cannot do</h3>', ...claims]),
  ];
}

function claimText(table: TableDesign, { copies, locals, globals, entities, proof }: Claim): string {
  const room = [
    `${globals} global ${globals === 1 ? 'index' : 'indexes'}`,
    ...(locals > 0 ? [`${locals} local`] : []),
    ...(copies > 0 ? [`${copies} copies`] : []),
  ].join(' and ');
  const who = `${room} of ${table.name} cannot do for ${entities.join(', ')}`;
  switch (proof.kind) {
    case 'clique':
      return `${who}: no two of ${proof.patterns.join(', ')} can share a key, and ${proof.inTable === 1 ? 'only one' : 'none'} of them can use the table.`;
    case 'tree':
      return `${who}: every way to distribute ${proof.order.join(', ')} ends in a key that cannot serve.`;
    case 'searched':
      return `${who}: the search tried every distribution, and with the declared heat none is valid.`;
    case 'unproved':
      return `${room} of ${table.name} were not enough for ${entities.join(', ')} as far as the search went; it was cut short, so this is not proved.`;
  }
}
