// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ElectroDB's templates contain the sign.

import { spreadCounters } from '../check-counters.ts';
import { namesOfPiece } from '../compile/key-values.ts';
import type { Design, IndexDesign, Placement, TableDesign } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Attribute, Entity, Model, Piece, Predicate } from '../ir.ts';
import { freeCharacters, sortedCharacters } from '../key-characters.ts';
import { templateText } from '../key-pieces.ts';
import { camelCase } from './identifiers.ts';

/**
 * ElectroDB entities in TypeScript. Their keys are templates, so that they read and write the very items that the
 * design describes. ElectroDB templates only join attributes; parts of keys that are computed (shards, inverted times,
 * ranks, values that may be missing) become hidden attributes that follow the ones they are made of.
 */
export function emitElectroDb(asked: Model, design: Design): string {
  const model = storedModel(asked, design);
  const names = design.tables.map(({ name }) => `${propertyName(name)}: '${name}'`);
  const parts = design.tables.flatMap((table) =>
    table.entities.map((name) => entityText(model, table, model.entities.find((one) => one.name === name)!)),
  );
  const uses = (word: string) => parts.some((text) => text.includes(`${word}(`));
  return [
    `/** ElectroDB entities of the model ${model.name}. */`,
    "import { Entity, type EntityConfiguration } from 'electrodb';",
    '',
    ...(uses('shardOf') ? shardFunction : []),
    ...(uses('escaped') ? escapeFunction : []),
    `/** The entities over a client. Tables may have other names where they are deployed. */`,
    `export function ${camelCase(model.name)}Entities(`,
    "  configuration: Omit<EntityConfiguration, 'table'>,",
    `  tables = { ${names.join(', ')} },`,
    ') {',
    '  const entities = {',
    ...parts.flatMap((text) => text.split('\n').map((line) => `    ${line}`)),
    '  };',
    '  // Items tell their kind by the attribute that the rest of the design uses too.',
    "  for (const entity of Object.values(entities)) entity.setIdentifier('entity', '_type');",
    '  return entities;',
    '}',
    '',
  ].join('\n');
}

const shardFunction = [
  '/** The shard of an item: FNV-1a over its values, so that writers in any language can compute it. */',
  'function shardOf(values: readonly unknown[], count: number): string {',
  '  let hash = 0x811c9dc5;',
  "  for (const byte of new TextEncoder().encode(values.map(String).join('#'))) {",
  '    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;',
  '  }',
  '  return String(hash % count);',
  '}',
  '',
];

const escapeFunction = [
  '/** Free text inside of a key: the delimiter must not occur in it. */',
  'function escaped(text: string): string {',
  "  return text.replaceAll('%', '%25').replaceAll('#', '%23');",
  '}',
  '',
];

/** A part of a key that ElectroDB cannot take from an attribute as it is. */
interface Computed {
  readonly name: string;
  readonly watch: readonly string[];
  /** An expression over `item`. */
  readonly expression: string;
  readonly description: string;
}

function entityText(model: Model, table: TableDesign, entity: Entity): string {
  const computed = new Map<string, Computed>();
  const placements = table.placements.filter((one) => one.entity === entity.name && one.copy === undefined);
  const padded = new Set<string>();
  const counted = spreadCounters(model, entity.name);
  const keyed = new Set(
    placements.flatMap(({ partition, sort }) => [...partition, ...sort].flatMap(namesOfPiece)),
  );
  const indexes = placements.flatMap((placement) => {
    const index = table.indexes.find((one) => one.name === placement.slot);
    return indexLines(entity, table, placement, index, computed, padded);
  });
  const copies = table.placements.filter((one) => one.entity === entity.name && one.copy !== undefined);
  const lines = [
    ...(entity.description === undefined ? [] : [`/** ${entity.description} */`]),
    ...copies.map(
      ({ partition, sort }) =>
        `// Its copies under ${templateText(partition)} | ${templateText(sort)} are items that ElectroDB does not write.`,
    ),
    `${propertyName(entity.name)}: new Entity(`,
    '  {',
    `    model: { entity: '${entity.name}', version: '${entity.schemaVersion ?? 1}', service: '${model.name}' },`,
    '    attributes: {',
    ...entity.attributes.map((attribute) =>
      counted.has(attribute.name)
        ? `      // ${attribute.name} is counted in items of its own, which ElectroDB does not write.`
        : `      ${attributeLine(entity, attribute, padded, keyed)}`,
    ),
    ...[...computed.values()].flatMap(({ name: own, watch, expression, description }) => [
      `      /** ${description} */`,
      `      ${own}: {`,
      "        type: 'string',",
      '        hidden: true,',
      "        default: '',",
      `        watch: [${watch.map((one) => `'${one}'`).join(', ')}],`,
      `        set: (_: string | undefined, item): string => ${expression},`,
      '      },',
    ]),
    '    },',
    '    indexes: {',
    ...indexes.map((line) => `      ${line}`),
    '    },',
    '  },',
    `  { ...configuration, table: tables${access(table.name)} },`,
    '),',
  ];
  return lines.join('\n');
}

function attributeLine(
  entity: Entity,
  attribute: Attribute,
  padded: ReadonlySet<string>,
  keyed: ReadonlySet<string>,
): string {
  const { name, optional, type } = attribute;
  const fixed = entity.identity.includes(name) || entity.fixed.includes(name);
  const parts = [
    `type: ${typeText(attribute)}`,
    ...(optional === true ? [] : ['required: true']),
    ...(fixed ? ['readOnly: true'] : []),
    ...(padded.has(name) && type.kind === 'number' ? [`padding: { length: ${type.digits}, char: '0' }`] : []),
    ...(keyed.has(name) ? validation(attribute) : []),
  ];
  return `${propertyName(name)}: { ${parts.join(', ')} },`;
}

/** ElectroDB takes patterns for texts only. */
function numberValidation(pattern: string): string {
  return `validate: (value) => value === undefined || /${pattern}/.test(String(value))`;
}

/** What order and uniqueness of keys rest on. */
function validation({ type }: Attribute): string[] {
  switch (type.kind) {
    case 'number': {
      const decimals = type.decimals === 0 ? '' : `(\\.\\d{1,${type.decimals}})?`;
      return [numberValidation(`^\\d{1,${type.digits}}${decimals}$`)];
    }
    case 'epoch':
      return [numberValidation('^\\d{1,10}$')];
    case 'time':
      return ['validate: /^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$/'];
    case 'date':
      return ['validate: /^\\d{4}-\\d\\d-\\d\\d$/'];
    case 'id':
    case 'path':
      return [`validate: ${sortedCharacters}`];
    case 'text':
      return [`validate: ${type.plain ? sortedCharacters : freeCharacters}`];
    default:
      return [];
  }
}

function typeText({ type }: Attribute): string {
  switch (type.kind) {
    case 'number':
    case 'epoch':
      return "'number'";
    case 'flag':
      return "'boolean'";
    case 'choice':
      return `[${type.values.map(({ value }) => `'${value}'`).join(', ')}] as const`;
    case 'binary':
    case 'map':
    case 'list':
      return "'any'";
    default:
      return "'string'";
  }
}

function indexLines(
  entity: Entity,
  table: TableDesign,
  placement: Placement,
  index: IndexDesign | undefined,
  computed: Map<string, Computed>,
  padded: Set<string>,
): string[] {
  const keyLine = (part: 'pk' | 'sk', field: string, pieces: readonly Piece[]) => {
    const composite: string[] = [];
    let template = '';
    for (const piece of pieces) {
      if (piece.kind === 'constant') {
        template += piece.text;
        continue;
      }
      const name = partName(entity, piece, computed, padded);
      if (!composite.includes(name)) composite.push(name);
      template += `\${${name}}`;
    }
    // A key that is one number would be stored as a number.
    const cast = composite.length === 1 && padded.has(composite[0]!) ? ", cast: 'string'" : '';
    const list = composite.map((one) => `'${one}'`).join(', ');
    return `  ${part}: { field: '${field}', composite: [${list}], template: '${template}', casing: 'none'${cast} },`;
  };
  const optionals = [...placement.partition, ...placement.sort].flatMap((piece) => {
    if (piece.kind === 'constant') return [];
    const names = piece.kind === 'shard' ? piece.of : [piece.attribute];
    return names.filter((name) => entity.attributes.find((one) => one.name === name)?.optional === true);
  });
  const conditions = [
    ...placement.when.map((one) => predicateText(one)),
    ...[...new Set(optionals)]
      .filter((name) => !placement.when.some((one) => one.kind === 'exists' && one.attribute === name))
      .map((name) => `item.${name} !== undefined`),
  ];
  const isTable = index === undefined;
  return [
    ...(placement.serves.length === 0 ? [] : [`// ${placement.serves.join(', ')}`]),
    `${propertyName(accessPatternName(placement))}: {`,
    ...(isTable ? [] : [`  index: '${index.name}',`]),
    ...(isTable ? [] : projectionLine(entity, index)),
    ...(conditions.length === 0 ? [] : [`  condition: (item) => ${conditions.join(' && ')},`]),
    keyLine(
      'pk',
      isTable || index.kind === 'local' ? table.partitionKey : index.partitionKey,
      placement.partition,
    ),
    keyLine('sk', isTable ? table.sortKey : index.sortKey, placement.sort),
    '},',
  ];
}

/** The first pattern that is answered there; ElectroDB takes one name for each index. */
function accessPatternName({ slot, serves }: Placement): string {
  return serves[0] ?? (slot === 'table' ? 'primary' : slot.toLowerCase());
}

function projectionLine(entity: Entity, { projection }: IndexDesign): string[] {
  if (projection.type === 'ALL') return [];
  const names = projection.type === 'INCLUDE' ? projection.names : [];
  const own = names.filter((name) => entity.attributes.some((one) => one.name === name));
  if (own.length === 0) return ["  projection: 'keys_only',"];
  return [`  projection: [${own.map((one) => `'${one}'`).join(', ')}],`];
}

/** The attribute that stands for a piece in a template: the model's own where its text is its value. */
function partName(
  entity: Entity,
  piece: Exclude<Piece, { kind: 'constant' }>,
  computed: Map<string, Computed>,
  padded: Set<string>,
): string {
  const taken = (name: string) => entity.attributes.some((one) => one.name === name);
  const add = (name: string, watch: readonly string[], expression: string, description: string) => {
    const free = taken(name) ? `${name}_` : name;
    computed.set(free, { name: free, watch, expression, description });
    return free;
  };
  if (piece.kind === 'shard') {
    const values = piece.of.map((name) => `item.${name}`).join(', ');
    const words = `The shard of ${piece.of.join(' and ')}: 0 to ${piece.count - 1}. Readers ask for each of them.`;
    return add('shard', piece.of, `shardOf([${values}], ${piece.count})`, words);
  }
  const attribute = entity.attributes.find(({ name }) => name === piece.attribute)!;
  const { name, type, optional } = attribute;
  if (piece.kind === 'bucket') {
    const length = { year: 4, month: 7, day: 10, hour: 13 }[piece.unit];
    const own = `${name}${piece.unit[0]!.toUpperCase()}${piece.unit.slice(1)}`;
    return add(
      own,
      [name],
      orEmpty(attribute, `String(item.${name}).slice(0, ${length})`),
      `The ${piece.unit} of ${name}.`,
    );
  }
  if (piece.inverted) {
    const words = `${name} turned round, so that the newest or highest comes first.`;
    return add(`${name}Inverted`, [name], orEmpty(attribute, textExpression(attribute, true)), words);
  }
  const isPlain =
    type.kind === 'id' ||
    type.kind === 'path' ||
    type.kind === 'time' ||
    type.kind === 'date' ||
    (type.kind === 'text' && type.plain) ||
    (type.kind === 'choice' && !type.ordered);
  if (isPlain && optional !== true) return name;
  if (type.kind === 'number' && type.decimals === 0 && optional !== true) {
    padded.add(name);
    return name;
  }
  const words =
    optional === true ? `${name} as keys hold it; empty while it is missing.` : `${name} as keys hold it.`;
  return add(`${name}Key`, [name], orEmpty(attribute, textExpression(attribute, false)), words);
}

function orEmpty({ name, optional }: Attribute, expression: string): string {
  return optional === true ? `item.${name} === undefined ? '' : ${expression}` : expression;
}

/** An expression for the text of a value inside of a key; the same text that the design's own functions make. */
function textExpression({ name, type }: Attribute, inverted: boolean): string {
  const value = `item.${name}`;
  switch (type.kind) {
    case 'number': {
      const width = type.digits + type.decimals;
      const whole = `Math.round(Number(${value}) * ${10 ** type.decimals})`;
      const digits = `String(${inverted ? `${10 ** width - 1} - ${whole}` : whole}).padStart(${width}, '0')`;
      return type.decimals === 0 ? digits : `${digits}.replace(/(\\d{${type.decimals}})$/, '.$1')`;
    }
    case 'time':
      return inverted
        ? `String(9_999_999_999_999 - Date.parse(String(${value}))).padStart(13, '0')`
        : `String(${value})`;
    case 'date':
      return inverted
        ? `String(99_999_999 - Number(String(${value}).replaceAll('-', ''))).padStart(8, '0')`
        : `String(${value})`;
    case 'epoch':
      return `String(${inverted ? `9_999_999_999 - Number(${value})` : value}).padStart(10, '0')`;
    case 'flag':
      return `${value} === true ? '1' : '0'`;
    case 'choice': {
      if (!type.ordered) return `String(${value})`;
      const ranks = type.values.map(({ value: one }, at) => {
        const rank = inverted ? type.values.length - 1 - at : at;
        return `${propertyName(one)}: '${String(rank).padStart(2, '0')}${one}'`;
      });
      return `({ ${ranks.join(', ')} } as Record<string, string>)[String(${value})] ?? ''`;
    }
    case 'text':
      return type.plain ? `String(${value})` : `escaped(String(${value}))`;
    default:
      return `String(${value})`;
  }
}

function predicateText(predicate: Predicate): string {
  switch (predicate.kind) {
    case 'equals':
      return `item.${predicate.attribute} === ${literal(predicate.value)}`;
    case 'among':
      return `[${predicate.values.map(literal).join(', ')}].includes(String(item.${predicate.attribute}))`;
    case 'exists':
      return `item.${predicate.attribute} !== undefined`;
    case 'compare': {
      const right =
        'attribute' in predicate.right ? `Number(item.${predicate.right.attribute})` : predicate.right.value;
      return `Number(item.${predicate.left}) ${predicate.operator} ${right}`;
    }
  }
}

function literal(value: string | number | boolean): string {
  return typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : String(value);
}

function access(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `['${name}']`;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}
