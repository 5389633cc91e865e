import type { Design, Placement, Plan, TableDesign } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Entity, Model, Piece, Predicate, WritePattern, WriteStep } from '../ir.ts';
import { pascalCase } from './identifiers.ts';

/** The environment, Region and account in the ARNs of a policy. */
export interface IamOptions {
  /** Ends the names of tables, as in the templates; none if empty. */
  readonly environment?: string;
  readonly region?: string;
  readonly account?: string;
}

/** A statement of an IAM policy. */
export interface PolicyStatement {
  readonly Sid: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, readonly string[] | string>>>>;
}

/** An IAM policy. */
export interface PolicyDocument {
  readonly Version: '2012-10-17';
  readonly Statement: readonly PolicyStatement[];
}

/** The actor of patterns that name none. */
const anyActor = 'application';
const administrator = 'administrator';

/** What no actor of the application needs. Statements with conditions on keys do not cover these. */
const deniedActions = [
  'dynamodb:Scan',
  'dynamodb:PartiQLSelect',
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
  'dynamodb:PartiQLDelete',
  'dynamodb:CreateTable',
  'dynamodb:UpdateTable',
  'dynamodb:DeleteTable',
];

const administratorActions = [
  'dynamodb:DescribeTable',
  'dynamodb:DescribeContinuousBackups',
  'dynamodb:DescribeContributorInsights',
  'dynamodb:DescribeTimeToLive',
  'dynamodb:UpdateTable',
  'dynamodb:UpdateContinuousBackups',
  'dynamodb:UpdateContributorInsights',
  'dynamodb:UpdateTimeToLive',
  'dynamodb:CreateBackup',
  'dynamodb:ExportTableToPointInTime',
  'dynamodb:Scan',
  'dynamodb:TagResource',
  'dynamodb:UntagResource',
];

/**
 * One IAM policy for each actor of the model: only the operations of its patterns, only on the partition keys that they
 * touch (`dynamodb:LeadingKeys`), and only with the attributes that they need (`dynamodb:Attributes`). With a tenancy,
 * the tenant in a key must be the tag of the caller. Transactions need no actions of their own.
 */
export function iamPolicies(
  model: Model,
  design: Design,
  options: IamOptions = {},
): Record<string, PolicyDocument> {
  const named = (actor: string | undefined) => actor ?? anyActor;
  const actors = new Set([...model.reads, ...model.writes].map(({ actor }) => named(actor)));
  const policies: Record<string, PolicyDocument> = {};
  for (const actor of [...actors].sort()) {
    const statements: PolicyStatement[] = [];
    for (const table of design.tables) {
      const scope = new Statements(model, table, options);
      for (const plan of table.plans) {
        const pattern = model.reads.find(({ name }) => name === plan.pattern)!;
        if (named(pattern.actor) === actor) scope.addRead(plan, pattern.needs);
      }
      for (const write of model.writes) {
        if (named(write.actor) === actor) for (const step of write.steps) scope.addWrite(write, step);
      }
      statements.push(...scope.list());
    }
    statements.push({
      Sid: 'NeverWholeTables',
      Effect: 'Deny',
      Action: deniedActions,
      Resource: design.tables.flatMap((table) => [
        arnOf(table.name, options),
        `${arnOf(table.name, options)}/index/*`,
      ]),
    });
    policies[actor] = { Version: '2012-10-17', Statement: statements };
  }
  policies[administrator] = {
    Version: '2012-10-17',
    Statement: [
      {
        Sid: 'Administer',
        Effect: 'Allow',
        Action: administratorActions,
        Resource: design.tables.flatMap((table) => [
          arnOf(table.name, options),
          `${arnOf(table.name, options)}/*`,
        ]),
      },
    ],
  };
  return policies;
}

export function emitIam(asked: Model, design: Design, options?: IamOptions): string {
  const model = storedModel(asked, design);
  return `${JSON.stringify(iamPolicies(model, design, options), undefined, 2)}\n`;
}

function arnOf(table: string, { environment = 'dev', region = '*', account = '*' }: IamOptions): string {
  return `arn:aws:dynamodb:${region}:${account}:table/${table}${environment === '' ? '' : `-${environment}`}`;
}

/** Statements about one table, of which those that differ by their keys alone are one. */
class Statements {
  readonly #model: Model;
  readonly #table: TableDesign;
  readonly #options: IamOptions;
  readonly #found = new Map<
    string,
    {
      readonly sid: string;
      readonly actions: readonly string[];
      readonly resource: string;
      readonly attributes: readonly string[] | undefined;
      readonly keys: Set<string>;
    }
  >();

  constructor(model: Model, table: TableDesign, options: IamOptions) {
    this.#model = model;
    this.#table = table;
    this.#options = options;
  }

  addRead(plan: Plan, needs: readonly string[] | undefined): void {
    const arn = arnOf(this.#table.name, this.#options);
    const index = this.#table.indexes.find(({ name }) => name === plan.slot);
    const resource = index === undefined ? arn : `${arn}/index/${index.name}`;
    const attributes = needs === undefined ? undefined : this.#readAttributes(needs, plan);
    const action =
      plan.operation === 'GetItem' ? ['dynamodb:GetItem', 'dynamodb:BatchGetItem'] : ['dynamodb:Query'];
    for (const placement of this.#placements(plan.entities, plan.slot)) {
      this.#add(
        plan.operation === 'GetItem' ? 'Get' : `Query${index?.name ?? ''}`,
        action,
        resource,
        attributes,
        placement.partition,
      );
    }
    if (plan.fetch) {
      for (const placement of this.#placements(plan.entities, 'table'))
        this.#add('Fetch', ['dynamodb:BatchGetItem'], arn, undefined, placement.partition);
    }
  }

  addWrite(write: WritePattern, step: WriteStep): void {
    if (!this.#table.entities.includes(step.entity)) return;
    const arn = arnOf(this.#table.name, this.#options);
    const words = {
      create: 'Put',
      change: 'Update',
      count: 'Update',
      remove: 'Delete',
      require: 'ConditionCheck',
    } as const;
    const word = words[step.kind];
    const action = `dynamodb:${word}Item`;
    const entity = this.#model.entities.find(({ name }) => name === step.entity)!;
    const attributes =
      step.kind === 'change' || step.kind === 'count' ? this.#writeAttributes(entity, step) : undefined;
    for (const { partition, copy } of this.#placements([step.entity], 'table')) {
      // Copies are whole items, written anew.
      if (copy === undefined) this.#add(word, [action], arn, attributes, partition);
      else this.#add('PutCopy', ['dynamodb:PutItem', 'dynamodb:DeleteItem'], arn, undefined, partition);
    }
    for (const satellite of this.#table.satellites) {
      if (!satellite.writes.includes(write.name)) continue;
      const actions =
        satellite.kind === 'counter'
          ? ['dynamodb:UpdateItem', 'dynamodb:GetItem']
          : ['dynamodb:PutItem', 'dynamodb:GetItem', 'dynamodb:DeleteItem'];
      const head = satellite.key.slice(0, satellite.key.indexOf('{'));
      this.#add(pascalCase(satellite.kind), actions, arn, undefined, [
        { kind: 'constant', text: head },
        { kind: 'attribute', attribute: satellite.attribute },
      ]);
    }
  }

  list(): PolicyStatement[] {
    const used = new Map<string, number>();
    return [...this.#found.values()].map(({ sid, actions, resource, attributes, keys }) => {
      const base = pascalCase(`${this.#table.name} ${sid}`);
      const times = (used.get(base) ?? 0) + 1;
      used.set(base, times);
      const isQuery = actions[0] === 'dynamodb:Query';
      const isUpdate = actions[0] === 'dynamodb:UpdateItem';
      return {
        Sid: times === 1 ? base : `${base}${times}`,
        Effect: 'Allow',
        Action: actions,
        Resource: [resource],
        Condition: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...keys].sort() },
          ...(attributes === undefined
            ? {}
            : {
                'ForAllValues:StringEquals': { 'dynamodb:Attributes': attributes },
                // What a request does not name, it must not get back either.
                ...(isQuery ? { StringEqualsIfExists: { 'dynamodb:Select': 'SPECIFIC_ATTRIBUTES' } } : {}),
                ...(isUpdate
                  ? {
                      StringEqualsIfExists: {
                        'dynamodb:ReturnValues': ['NONE', 'UPDATED_OLD', 'UPDATED_NEW'],
                      },
                    }
                  : {}),
              }),
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      };
    });
  }

  #add(
    sid: string,
    actions: readonly string[],
    resource: string,
    attributes: readonly string[] | undefined,
    partition: readonly Piece[],
  ): void {
    const key = JSON.stringify([actions, resource, attributes ?? null]);
    const known = this.#found.get(key) ?? { sid, actions, resource, attributes, keys: new Set<string>() };
    known.keys.add(this.#pattern(partition));
    this.#found.set(key, known);
  }

  #placements(entities: readonly string[], slot: string): readonly Placement[] {
    return this.#table.placements.filter((one) => entities.includes(one.entity) && one.slot === slot);
  }

  /** The values that a partition template may have, with the caller's own tenant in the place of any. */
  #pattern(partition: readonly Piece[]): string {
    const tenant = this.#model.environment.tenancy?.attribute;
    const parts = partition.map((piece) => {
      if (piece.kind === 'constant') return piece.text.replace(/[*?$]/g, (sign) => `\${${sign}}`);
      if (piece.kind === 'attribute' && piece.attribute === tenant) return `\${aws:PrincipalTag/${tenant}}`;
      return '*';
    });
    return parts.join('').replace(/\*+/g, '*');
  }

  #readAttributes(needs: readonly string[], plan: Plan): string[] {
    const { partitionKey, sortKey, indexes } = this.#table;
    const index = indexes.find(({ name }) => name === plan.slot);
    const keys = [partitionKey, sortKey, ...(index === undefined ? [] : [index.partitionKey, index.sortKey])];
    return [...new Set([...keys, '_type', ...needs])].sort();
  }

  /** Everything that an update names: what it sets, what it asks about, and the keys of indexes that follow. */
  #writeAttributes(entity: Entity, step: Extract<WriteStep, { kind: 'change' | 'count' }>): string[] {
    const { partitionKey, sortKey, indexes, placements } = this.#table;
    const slots = placements.filter((one) => one.entity === entity.name).map(({ slot }) => slot);
    const own = indexes.filter(({ name }) => slots.includes(name));
    const sets = step.kind === 'count' ? [step.attribute] : step.sets.map(({ attribute }) => attribute);
    const asked = step.kind === 'count' ? [] : step.when.flatMap(namesIn);
    const names = [
      partitionKey,
      sortKey,
      ...own.flatMap((index) => [index.partitionKey, index.sortKey]),
      '_type',
      ...step.given,
      ...sets,
      ...asked,
      ...(entity.version === undefined ? [] : [entity.version]),
    ];
    return [...new Set(names)].sort();
  }
}

function namesIn(predicate: Predicate): string[] {
  if (predicate.kind !== 'compare') return [predicate.attribute];
  return 'attribute' in predicate.right ? [predicate.left, predicate.right.attribute] : [predicate.left];
}
