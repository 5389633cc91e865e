import type { TableDesign } from '../design.ts';
import type { CreateStep, WritePattern, WriteStep } from '../ir.ts';
import { counterAction } from './counters.ts';
import { fingerprint } from './cursor.ts';
import {
  changeEntry,
  type EntryChange,
  type EntryKind,
  newEntry,
  parentIdentity,
  withChangedEntry,
  withEntries,
} from './entries.ts';
import { type PlacedEntity, typeAttribute } from './placed-entity.ts';
import {
  type Answer,
  type Done,
  type ItemJson,
  type OperationName,
  PatternError,
  type Request,
  type Round,
} from './requests.ts';
import { textOfValues, type Values } from './values.ts';
import {
  type Action,
  type Arguments,
  changeActions,
  createActions,
  needsItem,
  removeActions,
  requireAction,
  type Seen,
  type UpdateParts,
  upgradeActions,
} from './write-actions.ts';

/** Options of one write: command, token, time, shard. */
export interface WriteOptions {
  /** The value of the idempotency attribute, for patterns that remember their commands. */
  readonly command?: string | undefined;
  /** The service's own token, for patterns that use it. */
  readonly token?: string | undefined;
  /** What a remembered command answers when it is repeated, as text. */
  readonly result?: string | undefined;
  /** The time, for records that expire. */
  readonly nowMs?: number | undefined;
  /** Tells calls with the same values apart, so that additions to a spread counter go to different items. */
  readonly spreadBy?: string | undefined;
  /** Reads items that may have an older shape before anything is written, and upgrades those that do. */
  readonly readFirst?: boolean | undefined;
}

/** The values of each step, by the names that `labels` lists; several items of one step as a list. */
export type WriteArguments = Readonly<Record<string, Arguments | readonly Arguments[]>>;

/** How many items a write read first, because only they gave the new keys. */
export interface Written {
  /** The items of the entities that were read before writing, because only they told the new keys. */
  readonly read: number;
}

/** One item of one step. */
interface Target {
  readonly step: WriteStep;
  readonly placed: PlacedEntity;
  readonly given: Arguments;
  /** What the write does to entries inside of the item. */
  readonly entries: EntryChange[];
  seen: Seen;
}

interface Call {
  readonly targets: readonly Target[];
  readonly given: WriteArguments;
  readonly options: WriteOptions;
}

/** Whether a write depends on the shape of the item that it meets. */
function isUpgradable({ placed, step }: Target): boolean {
  const isApart = step.kind === 'count' && step.spread === 'shards';
  return placed.upgradesTo !== undefined && step.kind !== 'create' && !isApart;
}

export class WritePlan {
  readonly pattern: WritePattern;
  /** The names under which the caller gives the values of each step: the entity, with a number if it has several. */
  readonly labels: readonly string[];
  readonly #placed: ReadonlyMap<string, PlacedEntity>;
  readonly #tableName: (table: TableDesign) => string;
  readonly #ttl: (table: TableDesign) => string | undefined;
  readonly #common: Readonly<Record<string, unknown>>;
  readonly #entryKinds: ReadonlyMap<string, EntryKind>;

  constructor(
    pattern: WritePattern,
    placed: ReadonlyMap<string, PlacedEntity>,
    tableName: (table: TableDesign) => string,
    ttl: (table: TableDesign) => string | undefined,
    common: Readonly<Record<string, unknown>>,
    entryKinds: ReadonlyMap<string, EntryKind> = new Map(),
  ) {
    this.#entryKinds = entryKinds;
    this.pattern = pattern;
    this.labels = labelsOf(pattern);
    this.#placed = placed;
    this.#tableName = tableName;
    this.#ttl = ttl;
    this.#common = common;
  }

  begin(given: WriteArguments, options: WriteOptions = {}): Round<Written> | Done<Written> {
    const { name, steps } = this.pattern;
    for (const label of Object.keys(given))
      if (!this.labels.includes(label))
        throw new PatternError(name, `it takes no "${label}", but ${this.labels.join(', ')}`);
    const targets: Target[] = [];
    const entries: EntryChange[] = [];
    for (const [at, step] of steps.entries()) {
      const values = given[this.labels[at]!];
      if (values === undefined) throw new PatternError(name, `the caller must give "${this.labels[at]!}"`);
      const kind = this.#entryKinds.get(step.entity);
      for (const one of Array.isArray(values) ? (values as Arguments[]) : [values as Arguments]) {
        if (kind !== undefined) entries.push({ kind, step, given: one });
        else
          targets.push({
            step,
            placed: this.#placed.get(step.entity)!,
            given: one,
            entries: [],
            seen: undefined,
          });
      }
    }
    for (const one of entries) this.#aroundOf(one, targets).entries.push(one);
    return this.#write({ targets, given, options }, 0);
  }

  #write(call: Call, read: number): Round<Written> | Done<Written> {
    const { targets, given, options } = call;
    const { name } = this.pattern;
    const { token, command, spreadBy } = options;
    // The same token must come with the same request.
    const spread = () => `${token ?? command ?? spreadBy ?? ''}${textOfValues(given)}`;
    const all = targets.map((target) =>
      options.readFirst === true && target.seen === undefined && isUpgradable(target)
        ? needsItem
        : this.#actions(target, spread),
    );
    const unread = targets.filter((_, at) => all[at] === needsItem);
    if (unread.length > 0) {
      return {
        requests: unread.map(
          ({ placed, given }): Request => ({
            operation: 'GetItem',
            input: {
              TableName: this.#tableName(placed.table),
              Key: placed.knownKey(name, withoutAdditions(given)),
              ConsistentRead: true,
              ...this.#common,
            },
          }),
        ),
        next: (answers: readonly Answer[]) => {
          unread.forEach((target, at) => {
            const item = answers[at]?.Item;
            target.seen = item === undefined ? null : { item, values: target.placed.storedValues(item) };
          });
          return this.#upgrade(call, unread) ?? this.#write(call, read + unread.length);
        },
      };
    }
    const actions = (all as Action[][]).map((some, at) =>
      some.map((action) => this.#inTable(action, targets[at]!.placed.table)),
    );
    const record = this.#record(options, given);
    const requests = this.#requests(actions, record, options);
    return { requests, next: () => ({ result: { read } }) };
  }

  /** Writes items of older shapes as today's, and begins again behind that; undefined if there are none. */
  #upgrade(call: Call, read: readonly Target[]): Round<Written> | undefined {
    const old = read.filter((one) => one.seen && isUpgradable(one) && one.placed.isOlder(one.seen.item));
    if (old.length === 0) return undefined;
    const requests = old.map(({ placed, seen }): Request => {
      const actions = upgradeActions(this.pattern.name, placed, seen!).map((action) =>
        this.#inTable(action, placed.table),
      );
      const request =
        actions.length === 1 ? this.#single(actions[0]!) : this.#transaction(actions, undefined);
      return { ...request, isUpgrade: true };
    });
    return {
      requests,
      next: () => {
        for (const one of old) one.seen = undefined;
        return this.#write({ ...call, options: { ...call.options, readFirst: true } }, 0);
      },
    };
  }

  /** The write of the item that an entry lies in: one that the pattern makes anyhow, or another. */
  #aroundOf({ kind, step, given }: EntryChange, targets: Target[]): Target {
    const { name } = this.pattern;
    const identity = parentIdentity(name, kind, given as Values);
    const known = targets.find(
      (one) =>
        one.placed.entity.name === kind.parent.name &&
        kind.parent.identity.every((attribute) => one.given[attribute] === identity[attribute]) &&
        !(one.step.kind === 'count' && one.step.spread === 'shards'),
    );
    if (known !== undefined) {
      if (known.step.kind === 'create' && step.kind !== 'create')
        throw new PatternError(name, `a new ${kind.parent.name} has no ${kind.entity.name} yet`);
      return known;
    }
    const base = { entity: kind.parent.name, count: 1, given: kind.parent.identity, when: [] };
    const around: Target = {
      step:
        step.kind === 'require'
          ? { ...base, kind: 'require' }
          : { ...base, kind: 'change', sets: [], checksVersion: false },
      placed: this.#placed.get(kind.parent.name)!,
      given: identity,
      entries: [],
      seen: undefined,
    };
    targets.push(around);
    return around;
  }

  #actions(
    { step, placed, given, entries, seen }: Target,
    spreadBy: () => string,
  ): Action[] | typeof needsItem {
    const { name } = this.pattern;
    const inside =
      entries.length === 0
        ? undefined
        : {
            addTo: (parts: UpdateParts) => {
              for (const one of entries) changeEntry(name, one, parts);
            },
            applyTo: (values: Values) =>
              entries.reduce((before, one) => withChangedEntry(name, one, before), values),
          };
    const writesInside = entries.some((one) => one.step.kind !== 'require');
    switch (step.kind) {
      case 'create':
        return createActions(name, placed, step, this.#withEntries(placed, step, given, entries), seen);
      case 'change':
        return changeActions(name, placed, step, given, seen, inside);
      case 'remove':
        return removeActions(name, placed, step, given, seen);
      case 'require':
        if (!writesInside) return [requireAction(name, placed, step, given, inside)];
        return changeActions(
          name,
          placed,
          { ...step, kind: 'change', sets: [], checksVersion: false },
          given,
          seen,
          inside,
        );
      case 'count': {
        const counter = counterAction(name, placed, step, given, spreadBy);
        return counter === undefined ? changeActions(name, placed, step, given, seen, inside) : [counter];
      }
    }
  }

  /** A new item has everything inside from its beginning. */
  #withEntries(
    placed: PlacedEntity,
    step: CreateStep,
    given: Arguments,
    entries: readonly EntryChange[],
  ): Arguments {
    const { name } = this.pattern;
    const kinds = [...this.#entryKinds.values()].filter(({ parent }) => parent.name === placed.entity.name);
    if (kinds.length === 0) return given;
    if (!step.once && kinds.some(({ embedded }) => given[embedded.attribute] === undefined))
      throw new PatternError(
        name,
        `it would replace the ${placed.entity.name} with everything inside it; change it instead`,
      );
    return withEntries(
      name,
      kinds,
      given as Values,
      entries.map((one) => ({ kind: one.kind, values: newEntry(one) })),
    ) as Arguments;
  }

  /** The record that remembers a command, in the table of the first step. */
  #record({ command, nowMs, result }: WriteOptions, given: WriteArguments): Action | undefined {
    const { name, idempotency, steps } = this.pattern;
    if (idempotency?.kind !== 'record') {
      if (command !== undefined) throw new PatternError(name, 'it remembers no commands');
      return undefined;
    }
    if (command === undefined || command === '')
      throw new PatternError(name, `it needs the "${idempotency.by}" of the command`);
    if (nowMs === undefined) throw new PatternError(name, 'it needs the time, because its record expires');
    const { table } = this.#placed.get(steps[0]!.entity)!;
    const ttl = this.#ttl(table) ?? 'expires';
    const head: ItemJson = {
      [table.partitionKey]: { S: `IDEMPOTENCY#${command}` },
      [table.sortKey]: { S: 'IDEMPOTENCY' },
      [typeAttribute]: { S: 'Idempotency' },
      pattern: { S: name },
      given: { N: String(fingerprint(textOfValues(given))) },
      ...(result === undefined ? {} : { result: { S: result } }),
      [ttl]: { N: String(Math.floor(nowMs / 1000) + idempotency.keepDays * 86_400) },
    };
    const Put = { Item: head, ConditionExpression: `attribute_not_exists(${table.partitionKey})` };
    const text = `the command ${JSON.stringify(command)} was run before`;
    const whyRefused = () => [{ kind: 'command', entity: steps[0]!.entity, text } as const];
    return this.#inTable({ kind: 'Put', members: Put, whyRefused }, table);
  }

  #inTable({ kind, members, whyRefused }: Action, table: TableDesign): Action {
    // The item that refuses tells which of several conditions does.
    const told = whyRefused === undefined ? {} : { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
    const named = { TableName: this.#tableName(table), ...members, ...told };
    return whyRefused === undefined ? { kind, members: named } : { kind, members: named, whyRefused };
  }

  #requests(actions: readonly Action[][], record: Action | undefined, { token }: WriteOptions): Request[] {
    const { atomic, idempotency, name } = this.pattern;
    const usesToken = idempotency?.kind === 'token';
    // What the pattern writes together may lie in one item, which is atomic by itself.
    const isOne =
      this.#entryKinds.size > 0 &&
      actions.flat().length === 1 &&
      actions.flat()[0]!.kind !== 'ConditionCheck';
    if (token !== undefined && !usesToken) throw new PatternError(name, 'it declares no token');
    if ((atomic && !isOne) || record !== undefined || usesToken)
      return [this.#transaction([...actions.flat(), ...(record === undefined ? [] : [record])], token)];
    return actions.map((some) =>
      some.length === 1 && some[0]!.kind !== 'ConditionCheck'
        ? this.#single(some[0]!)
        : this.#transaction(some, undefined),
    );
  }

  #single({ kind, members, whyRefused }: Action): Request {
    const input = { ...members, ...this.#common };
    return { operation: `${kind}Item` as OperationName, input, whyRefused: [whyRefused] };
  }

  #transaction(actions: readonly Action[], token: string | undefined): Request {
    if (actions.length > 100)
      throw new PatternError(this.pattern.name, `${actions.length} items do not fit a transaction of 100`);
    return {
      operation: 'TransactWriteItems',
      input: {
        TransactItems: actions.map(({ kind, members }) => ({ [kind]: members })),
        ...(token === undefined ? {} : { ClientRequestToken: token }),
        ...this.#common,
      },
      whyRefused: actions.map(({ whyRefused }) => whyRefused),
    };
  }
}

/** The names of a write's steps: the entity, numbered where several steps have the same. */
export function labelsOf({ steps }: WritePattern): string[] {
  return steps.map(({ entity }, at) => {
    const same = steps.filter((one) => one.entity === entity);
    return same.length === 1
      ? entity
      : `${entity}#${steps.slice(0, at + 1).filter((one) => one.entity === entity).length}`;
  });
}

function withoutAdditions(given: Arguments): Values {
  return Object.fromEntries(
    Object.entries(given).filter(
      ([, value]) => !(typeof value === 'object' && value !== null && 'add' in value),
    ),
  ) as Values;
}
