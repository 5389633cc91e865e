import type { Finding } from '../check/finding.ts';
import {
  type Attribute,
  type AttributeType,
  type Entity,
  type HandIndex,
  type HandPlacement,
  type Model,
  modelFormat,
  type Piece,
  type ReadPattern,
  type WritePattern,
  type WriteStep,
} from '../ir.ts';

/** What came out of a foreign file: a model with keys by hand, and how sure each part of it is. */
export interface Imported {
  readonly format: ImportFormat;
  readonly model: Model;
  readonly notes: readonly ImportNote[];
  /** Rules that the file breaks and a model has no place for, such as numbers without zero padding. */
  readonly findings: readonly Finding[];
}

/** The formats that can be imported. */
export type ImportFormat =
  | 'aws-agent-toolkit'
  | 'aws-mcp-validation'
  | 'aws-mcp-schema'
  | 'workbench'
  | 'onetable'
  | 'tables'
  | 'items'
  | 'traffic';

/** How sure the importer is of something. Stated facts carry no note. */
export interface ImportNote {
  readonly where: string;
  readonly certainty: 'inferred' | 'guessed' | 'left out';
  readonly message: string;
}

export interface DraftEntity {
  name: string;
  table: string;
  readonly attributes: Map<string, Attribute>;
  keys: HandPlacement[];
  count: number;
  /** Mean bytes of an item, if the file says so. */
  bytes?: number;
  ttl?: string;
}

/** Collects entities and patterns, and makes a model of them that has all that a model must have. */
export class Draft {
  readonly name: string;
  readonly entities = new Map<string, DraftEntity>();
  readonly reads: ReadPattern[] = [];
  readonly writes: WritePattern[] = [];
  readonly indexes = new Map<string, HandIndex>();
  readonly notes: ImportNote[] = [];
  readonly findings: Finding[] = [];
  #capacity: Model['environment']['capacity'] = 'on-demand';

  constructor(name: string) {
    this.name = nameOf(name, 'Imported');
  }

  note(where: string, certainty: ImportNote['certainty'], message: string): void {
    this.notes.push({ where, certainty, message });
  }

  provisioned(): void {
    this.#capacity = 'provisioned';
  }

  /** Adds an entity under a name that a model allows and no other has. */
  entity(name: string, table: string, count: number): DraftEntity {
    const wanted = nameOf(name, 'Item');
    let free = wanted;
    const taken = () => [...this.entities.keys()].some((one) => one.toUpperCase() === free.toUpperCase());
    for (let at = 2; taken(); at++) free = `${wanted}${at}`;
    if (free !== name) this.note(`entity ${free}`, 'inferred', `the file calls it ${JSON.stringify(name)}`);
    const entity: DraftEntity = { name: free, table, attributes: new Map(), keys: [], count };
    this.entities.set(free, entity);
    return entity;
  }

  read(read: Partial<ReadPattern> & Pick<ReadPattern, 'name' | 'entities' | 'by'>): void {
    const name = this.#freePattern(read.name);
    this.reads.push({
      result: 'list',
      where: [],
      order: [],
      page: 25,
      consistency: 'eventual',
      rate: { peak: 1, mean: 1 },
      skew: [],
      mayDiscard: 0,
      mayFetch: false,
      ...read,
      name,
    });
    const sorted = [...(read.order ?? []), ...(read.range === undefined ? [] : [read.range])];
    for (const { attribute } of sorted) this.#sortable(read.entities, attribute);
  }

  /** Text that requests sort by stands in a sort key: it holds nothing that would sort before a delimiter. */
  #sortable(entities: readonly string[], name: string): void {
    for (const entity of this.entities.values()) {
      const known = entities.includes(entity.name) ? entity.attributes.get(name) : undefined;
      if (known?.type.kind === 'text')
        entity.attributes.set(name, { ...known, type: { ...known.type, plain: true } });
    }
  }

  write(name: string, steps: readonly WriteStep[], rest: Partial<WritePattern> = {}): void {
    this.writes.push({
      atomic: false,
      rate: { peak: 1, mean: 1 },
      skew: [],
      steps,
      ...rest,
      name: this.#freePattern(name),
    });
  }

  #freePattern(name: string): string {
    let free = name;
    const taken = () => [...this.reads, ...this.writes].some((one) => one.name === free);
    for (let at = 2; taken(); at++) free = `${name}.${at}`;
    return free;
  }

  /** The finished model. The attributes of the table key name an instance. */
  model(description: string): Model {
    const tables = new Set([...this.entities.values()].map(({ table }) => table));
    return {
      format: modelFormat,
      name: this.name,
      description,
      entities: [...this.entities.values()].map((entity) => finished(entity, tables.size > 1)),
      reads: this.reads,
      writes: this.writes,
      environment: {
        capacity: this.#capacity,
        streams: [],
        headroom: 0.7,
        shardsMax: 100,
        ...(this.indexes.size === 0 ? {} : { indexes: [...this.indexes.values()] }),
      },
    };
  }

  imported(format: ImportFormat, description: string): Imported {
    return { format, model: this.model(description), notes: this.notes, findings: this.findings };
  }
}

function finished(entity: DraftEntity, apart: boolean): Entity {
  const { name, keys, count, ttl, table } = entity;
  const base = keys.find(({ slot }) => slot === 'table');
  const identity = [...new Set([...(base?.partition ?? []), ...(base?.sort ?? [])].flatMap(attributesOf))];
  const attributes = withRest(entity).map((one): Attribute => {
    if (!identity.includes(one.name)) return one;
    const { optional: _, ...always } = one;
    return always;
  });
  return {
    name,
    attributes: [
      ...identity.flatMap((id) => attributes.filter((one) => one.name === id)),
      ...attributes.filter((one) => !identity.includes(one.name)),
    ],
    identity,
    fixed: [],
    population: { kind: 'count', count: Math.max(1, Math.round(count)), growthPerDay: 0 },
    ...(ttl === undefined ? {} : { ttl }),
    ...(apart ? { table } : {}),
    keys,
  };
}

/** If the file says how large items are, what the known attributes do not account for is one attribute of its own. */
function withRest({ attributes, bytes }: DraftEntity): Attribute[] {
  const all = [...attributes.values()];
  if (bytes === undefined) return all;
  const known = all.reduce((sum, one) => sum + one.name.length + meanBytes(one.type), 0);
  const rest = Math.round(bytes - known - 'otherAttributes'.length);
  if (rest < 16) return all;
  return [
    ...all,
    { name: 'otherAttributes', optional: true, type: { kind: 'map', bytes: { mean: rest, max: rest * 2 } } },
  ];
}

function meanBytes(type: AttributeType): number {
  switch (type.kind) {
    case 'number':
      return Math.ceil((type.digits + type.decimals) / 2) + 1;
    case 'time':
      return 24;
    case 'date':
      return 10;
    case 'epoch':
      return 6;
    case 'flag':
      return 1;
    case 'choice':
      return 8;
    case 'list':
      return 3 + type.count * (type.elementBytes + 1);
    default:
      return type.bytes.mean;
  }
}

function attributesOf(piece: Piece): string[] {
  if (piece.kind === 'constant') return [];
  return piece.kind === 'shard' ? [...piece.of] : [piece.attribute];
}

/** A name as models allow it: letters and digits, a letter first. */
export function nameOf(text: string, fallback: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const joined = words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
  return /^[A-Za-z]/.test(joined) ? joined : `${fallback}${joined}`;
}

/** Types of DynamoDB, and of the tools that name their own, as a model has them. */
export function typeOf(word: string, name: string): AttributeType {
  switch (word.toLowerCase()) {
    case 'n':
    case 'number':
    case 'integer':
    case 'decimal':
      return { kind: 'number', digits: 12, decimals: word === 'decimal' ? 4 : 0, signed: false };
    case 'bool':
    case 'boolean':
      return { kind: 'flag' };
    case 'b':
    case 'binary':
    case 'buffer':
    case 'arraybuffer':
      return { kind: 'binary', bytes: { mean: 256, max: 4_096 } };
    case 'm':
    case 'object':
    case 'map':
      return { kind: 'map', bytes: { mean: 200, max: 4_096 } };
    case 'l':
    case 'ss':
    case 'ns':
    case 'bs':
    case 'array':
    case 'set':
    case 'list':
      return { kind: 'list', elementBytes: 20, count: 10, countMax: 100 };
    case 'date':
      return { kind: 'time' };
    case 'uuid':
      return { kind: 'id', bytes: { mean: 36, max: 36 } };
    default:
      return looksLikeTime(name) ? { kind: 'time' } : { kind: 'id', bytes: { mean: 20, max: 100 } };
  }
}

function looksLikeTime(name: string): boolean {
  return /(At|_at|Timestamp|_ts|DateTime)$/.test(name) || /^(timestamp|created|updated)$/i.test(name);
}

/** Templates such as `USER#{id}`, `ORDER#${date}#${id:6:0}` as pieces; `found` hears of each name and its format. */
export function templatePieces(
  template: string,
  pattern: RegExp,
  found: (name: string, format: string | undefined) => void,
): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of template.matchAll(pattern)) {
    if (match.index > from) pieces.push({ kind: 'constant', text: template.slice(from, match.index) });
    const [whole, name, format] = match;
    found(name!, format === '' ? undefined : format);
    pieces.push({ kind: 'attribute', attribute: name! });
    from = match.index + whole.length;
  }
  if (from < template.length) pieces.push({ kind: 'constant', text: template.slice(from) });
  return pieces;
}
