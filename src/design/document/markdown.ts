import type { TableDesign } from '../design.ts';
import {
  collections,
  type DocumentRows,
  indexesOf,
  peakText,
  plainAttributes,
  writeUnitsText,
} from './document-rows.ts';
import { dollars, figure, shortBytes, shortCount } from './figures.ts';

/** The document as Markdown; its pictures are files beside it. */
export function markdownDocument(rows: DocumentRows, pictures: ReadonlyMap<string, string>): string {
  const { model, design } = rows;
  const parts = [
    `# ${model.name}`,
    model.description ?? '',
    summary(rows),
    ...picture(pictures, 'entities', 'Entities and relationships'),
    '## Access patterns',
    grid(
      [
        '',
        'Reads',
        'Actor',
        'Plan',
        'On',
        'Partition key',
        'Sort key',
        'Answer',
        'Peak/s',
        'Units',
        'A month',
      ],
      rows.reads.map((row) => [
        row.name,
        row.does,
        row.actor,
        row.operation,
        row.slot,
        code(row.partition),
        code(row.sort),
        row.page,
        peakText(row),
        figure(row.units),
        dollars(row.monthly),
      ]),
    ),
    ...(rows.writes.length === 0
      ? []
      : [
          grid(
            ['', 'Writes', 'Actor', 'Steps', 'Peak/s', 'Units', 'A month'],
            rows.writes.map((row) => [
              row.name,
              row.does,
              row.actor,
              `${row.steps.join('; ')}${row.isTransaction ? ' (transaction)' : ''}`,
              peakText(row),
              writeUnitsText(row),
              dollars(row.monthly),
            ]),
          ),
        ]),
    'Units are capacity units of one call, index writes included; prices are on demand, at the mean rates.',
    ...conditionalParts(rows),
    ...picture(pictures, 'load', 'Capacity units at the peak'),
    '## Keys',
    grid(
      ['Entity', 'In', 'Partition key', 'Sort key', 'Only while', 'Answers'],
      rows.entities.flatMap((entity) =>
        entity.keys.map((key, at) => [
          at === 0 ? entity.name : '',
          key.slot,
          code(key.partition),
          code(key.sort),
          key.when,
          key.serves.join(', '),
        ]),
      ),
    ),
    ...design.tables.flatMap((table) => tableParts(rows, table, pictures)),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function conditionalParts({ conditional }: DocumentRows): string[] {
  if (conditional.length === 0) return [];
  return [
    '### Conditional writes',
    'Each write carries its conditions, here for sample items. DynamoDB refuses the write if one of them does not hold.',
    grid(
      ['', 'Action', 'Key', 'Update', 'Condition'],
      conditional.map((row, at) => [
        conditional[at - 1]?.pattern === row.pattern ? '' : row.pattern,
        row.operation,
        code(row.key),
        code(row.update),
        code(row.condition),
      ]),
    ),
  ];
}

function summary({ model, design, reads }: DocumentRows): string {
  const indexes = design.tables.flatMap((table) => table.indexes);
  const facts = [
    `${model.entities.length} entities`,
    `${reads.length} read and ${model.writes.length} write patterns`,
    `${design.tables.length} ${design.tables.length === 1 ? 'table' : 'tables'}`,
    `${indexes.length} ${indexes.length === 1 ? 'index' : 'indexes'}`,
    `${dollars(design.monthly)} a month on demand`,
  ];
  return facts.join(' · ');
}

function tableParts(rows: DocumentRows, table: TableDesign, pictures: ReadonlyMap<string, string>): string[] {
  const samples = rows.samples.get(table.name)!;
  return [
    `## Table \`${table.name}\``,
    '### Item collections',
    ...collections(table, samples, 8).map((collection) =>
      [
        `${code(collection.partition)}`,
        '',
        grid(
          [table.sortKey, 'Entity', 'Attributes', 'Also in'],
          collection.rows.map((row) => [
            code(String(row.item[table.sortKey])),
            row.entity,
            plainAttributes(table, row)
              .map(([name, value]) => `${name} ${code(value)}`)
              .join(', '),
            indexesOf(table, row).join(', '),
          ]),
        ),
      ].join('\n'),
    ),
    ...table.indexes.flatMap((index) => [
      `### Index \`${index.name}\``,
      `${index.reason} Projects ${index.projection.type === 'INCLUDE' ? index.projection.names.map(code).join(', ') : index.projection.type}.`,
      ...picture(pictures, `${table.name}-${index.name}`, `The items of ${table.name} in ${index.name}`),
    ]),
    ...(table.embedded === undefined
      ? []
      : [
          '### Entities inside other items',
          grid(
            ['Entity', 'Attribute', 'Why'],
            table.embedded.map((one) => [one.entity, code(`${one.parent}.${one.attribute}`), one.reason]),
          ),
        ]),
    ...(table.satellites.length === 0
      ? []
      : [
          '### Items that invariants call for',
          grid(
            ['Key', 'Kind', 'Written by', 'Why'],
            table.satellites.map((one) => [code(one.key), one.kind, one.writes.join(', '), one.reason]),
          ),
        ]),
    '### Sizes',
    grid(
      ['Entity', 'Items', 'Bytes', 'Expires', 'Why it lies where it lies'],
      rows.entities
        .filter((entity) => entity.table === table.name)
        .map((entity) => [
          entity.name,
          shortCount(entity.items),
          shortBytes(entity.bytes),
          entity.expires,
          entity.keys.map(({ slot, reason }) => `**${slot}:** ${reason}`).join('<br>'),
        ]),
    ),
  ];
}

function picture(pictures: ReadonlyMap<string, string>, name: string, title: string): string[] {
  const file = pictures.get(name);
  return file === undefined ? [] : [`![${title}](${encodeURI(file)})`];
}

function code(text: string): string {
  return text === '' ? '' : `\`${text.replaceAll('`', "'")}\``;
}

function grid(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
