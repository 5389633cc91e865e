import type { ReadPlan } from '../design/compile/read-plan.ts';
import { type Instance, isAskedFor, neededOf, whyOutOfOrder } from '../design/filter-answer.ts';
import {
  type Answer,
  type CompiledDesign,
  isDone,
  type Model,
  type ReadPattern,
  type Request,
  type Values,
  type WritePattern,
} from '../design/index.ts';
import { applyEffects } from '../workload/apply-effects.ts';
import type { CallSource, ReadCall } from '../workload/calls.ts';
import type { Population } from '../workload/population.ts';
import { isConditionFailure } from '../workload/runner.ts';
import { whyMiscounted } from './count-counters.ts';
import { type ForecastUnits, forecastRead, forecastWrite } from './forecast-call.ts';

/** What calls of one pattern added up to. */
export interface Tally {
  calls: number;
  compared: number;
  agreed: number;
  requests: number;
  roundTrips: number;
  items: number;
  pages: number;
  read: number;
  write: number;
  expectedRead: number;
  expectedWrite: number;
  /** Calls without an exact expectation. */
  unexpected: number;
  differing: number;
  idle: number;
  conditionFailed: number;
  readonly arms: Map<string, { read: number; write: number }>;
  /** The first things that were wrong, in words. */
  readonly wrongs: string[];
  readonly costs: string[];
}

function newTally(): Tally {
  return {
    ...{
      calls: 0,
      compared: 0,
      agreed: 0,
      requests: 0,
      roundTrips: 0,
      items: 0,
      pages: 0,
      read: 0,
      write: 0,
    },
    ...{ expectedRead: 0, expectedWrite: 0, unexpected: 0, differing: 0, idle: 0, conditionFailed: 0 },
    ...{ arms: new Map(), wrongs: [], costs: [] },
  };
}

export interface Prover {
  readonly compiled: CompiledDesign;
  readonly population: Population;
  readonly source: CallSource;
  /** What was added to spread counters so far, by counter. */
  readonly counted: Map<string, number>;
  /** Sends a request through the SDK's own client. */
  readonly send: (request: Request) => Promise<unknown>;
}

const wrongsKept = 3;

/** Calls a read pattern and compares every answer with a filter over all instances. */
export async function proveRead(prover: Prover, pattern: ReadPattern, calls: number): Promise<Tally> {
  const { compiled, population, source } = prover;
  const tally = newTally();
  const read = compiled.reads.get(pattern.name)!;
  const right = new Filter(population, pattern);
  for (let at = 0; at < calls; at++) {
    const call = source.read(pattern);
    if (call === undefined) {
      tally.idle++;
      continue;
    }
    await proveReadCall(prover, read, call, right.instances(call), tally, at % 4 === 0);
  }
  return tally;
}

/** What is right, from a filter over all instances; those with the same equality values are found together. */
export class Filter {
  readonly #population: Population;
  readonly #pattern: ReadPattern;
  readonly #groups = new Map<string, Instance[]>();

  constructor(population: Population, pattern: ReadPattern) {
    this.#population = population;
    this.#pattern = pattern;
    for (const name of pattern.entities)
      for (const values of population.kind(name).instances) {
        if (values === undefined) continue;
        const key = this.#key(values);
        const group = this.#groups.get(key);
        if (group === undefined) this.#groups.set(key, [{ entity: name, values }]);
        else group.push({ entity: name, values });
      }
  }

  #key(values: Values): string {
    return JSON.stringify(this.#pattern.by.map((name) => values[name]));
  }

  instances({ given, bounds }: ReadCall): Instance[] {
    return (this.#groups.get(this.#key(given)) ?? []).filter(({ entity, values }) =>
      isAskedFor(this.#population.kind(entity).entity, this.#pattern, given, bounds, values),
    );
  }
}

async function proveReadCall(
  prover: Prover,
  read: ReadPlan,
  call: ReadCall,
  right: readonly Instance[],
  tally: Tally,
  everyPage: boolean,
): Promise<void> {
  const { pattern } = read;
  const { compiled, population } = prover;
  tally.calls++;
  const found: Instance[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    let at = read.begin(call.given, { ...call.bounds, cursor });
    const spent = newSpent();
    while (!isDone(at)) {
      if (pages === 0) {
        tally.roundTrips++;
        tally.requests += at.requests.length;
      }
      at = at.next(await sendAll(prover, at.requests, spent));
    }
    if (pages === 0) {
      tally.items += at.result.items.length;
      settle(
        tally,
        spent,
        forecastRead(compiled, read, right),
        `${pattern.name} ${JSON.stringify(call.given)}`,
      );
    }
    pages++;
    const limit = pattern.page === 'all' ? Number.POSITIVE_INFINITY : pattern.page;
    if (at.result.items.length > limit)
      note(tally, `a page has ${at.result.items.length} items, more than ${limit}`);
    found.push(...at.result.items);
    cursor = at.result.cursor;
  } while (cursor !== undefined && everyPage && pages < 50);
  tally.pages += pages;
  tally.compared++;
  const isWhole = cursor === undefined && (pattern.result === 'list' || right.length <= 1);
  const why = whyWrong(compiled.model, population, pattern, found, right, isWhole);
  if (why === undefined) tally.agreed++;
  else note(tally, `${JSON.stringify(call.given)}: ${why}`);
}

/** Why an answer differs from what a filter over all instances gives. */
function whyWrong(
  model: Model,
  population: Population,
  pattern: ReadPattern,
  found: readonly Instance[],
  right: readonly Instance[],
  isWhole: boolean,
): string | undefined {
  const nameOf = ({ entity, values }: Instance) => `${entity} ${population.kind(entity).identityOf(values)}`;
  const rightByName = new Map(right.map((one) => [nameOf(one), one]));
  const seen = new Set<string>();
  const whole: Instance[] = [];
  for (const one of found) {
    const name = nameOf(one);
    const expected = rightByName.get(name);
    if (expected === undefined)
      return `it returned ${name.replaceAll('\u0000', ' ')}, which was not asked for`;
    if (seen.has(name)) return `it returned ${name.replaceAll('\u0000', ' ')} twice`;
    seen.add(name);
    whole.push(expected);
    const needed = neededOf(population.kind(one.entity).entity, pattern, expected.values);
    if (!isSame(needed, one.values))
      return `${name.replaceAll('\u0000', ' ')} has other values than the instance`;
  }
  if (isWhole && seen.size < right.length) return `it returned ${seen.size} of ${right.length} instances`;
  if (pattern.result === 'one' && right.length > 0 && found.length === 0) return 'it returned nothing';
  const order = whyOutOfOrder(model, pattern, whole);
  if (order !== undefined) return order;
  return isWhole || pattern.order.length === 0 ? undefined : whySkipped(model, pattern, whole, right);
}

/** A page must hold the first of all instances in the pattern's order, not just some of them. */
function whySkipped(
  model: Model,
  pattern: ReadPattern,
  page: readonly Instance[],
  right: readonly Instance[],
): string | undefined {
  const last = page.at(-1);
  if (last === undefined) return right.length === 0 ? undefined : 'the page is empty';
  const inPage = new Set(page.map(({ values }) => values));
  const skipped = right.find(
    (one) =>
      !inPage.has(one.values) &&
      one.entity === last.entity &&
      whyOutOfOrder(model, pattern, [last, one]) !== undefined,
  );
  return skipped === undefined
    ? undefined
    : 'the page leaves out an instance that belongs before its last one';
}

function isSame(a: Values, b: Values): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => sameValue(a[name], b[name]));
}

function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof Uint8Array && b instanceof Uint8Array)
    return a.length === b.length && a.every((byte, at) => byte === b[at]);
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Calls a write pattern, compares its charges, and reads back what it wrote. */
export async function proveWrite(prover: Prover, pattern: WritePattern, calls: number): Promise<Tally> {
  const { compiled, population, source, send } = prover;
  const tally = newTally();
  const write = compiled.writes.get(pattern.name)!;
  const added: Instance[] = [];
  source.onAdded = (entity, values) => added.push({ entity, values });
  for (let number = 0; number < calls; number++) {
    const call = source.write(pattern);
    for (const { entity, values } of added.splice(0)) {
      const { table, items } = compiled.itemsOf(entity, values);
      for (const Item of items) await send({ operation: 'PutItem', input: { TableName: table, Item } });
    }
    if (call === undefined) {
      tally.idle++;
      continue;
    }
    tally.calls++;
    const options = {
      nowMs: source.nowMs,
      spreadBy: call.spreadBy,
      ...(call.command === undefined ? {} : { command: call.command }),
      ...(call.token === undefined ? {} : { token: call.token }),
    };
    const spent = newSpent();
    const sent: Request[] = [];
    try {
      let at = write.begin(call.given, options);
      while (!isDone(at)) {
        tally.roundTrips++;
        tally.requests += at.requests.length;
        sent.push(...at.requests);
        at = at.next(await sendAll(prover, at.requests, spent));
      }
    } catch (error) {
      if (!isConditionFailure(error)) throw error;
      tally.conditionFailed++;
      note(tally, `${JSON.stringify(call.given)}: ${(error as Error).message}`);
      continue;
    }
    const expected = forecastWrite(compiled, population, call, sent);
    settle(tally, spent, expected, `${pattern.name} ${JSON.stringify(call.given)}`);
    applyEffects(population, call.effects);
    tally.compared++;
    const why = await whyNotWritten(
      prover,
      call.effects.map((effect) => ({
        entity: effect.entity,
        values: effect.kind === 'put' ? effect.values : effect.of,
      })),
    );
    const miscounted = why ?? (await whyMiscounted(prover, pattern, call.given));
    if (miscounted === undefined) tally.agreed++;
    else note(tally, miscounted);
  }
  return tally;
}

/** Reads the items of instances back and compares them with what they should be. */
async function whyNotWritten(
  { compiled, population, send }: Prover,
  touched: readonly Instance[],
): Promise<string | undefined> {
  for (const { entity, values } of touched) {
    const kind = population.kind(entity);
    const instance = kind.find(values);
    if (instance === undefined) continue;
    const { table, items } = compiled.itemsOf(entity, instance);
    const { partitionKey, sortKey } = compiled.entities.get(entity)!.table;
    for (const item of items) {
      const Key = { [partitionKey]: item[partitionKey], [sortKey]: item[sortKey] };
      const answer = (await send({
        operation: 'GetItem',
        input: { TableName: table, Key, ConsistentRead: true },
      })) as Answer;
      if (answer.Item === undefined) return `${entity} ${kind.identityOf(values)} is not in the table`;
      if (!isSame(item as never, answer.Item as never))
        return `${entity} ${kind.identityOf(values)} is stored with other attributes or index keys than it should have`;
    }
  }
  return undefined;
}

interface Spent {
  read: number;
  write: number;
  readonly arms: Map<string, { read: number; write: number }>;
}

function newSpent(): Spent {
  return { read: 0, write: 0, arms: new Map() };
}

interface Capacity {
  readonly TableName?: string;
  readonly CapacityUnits?: number;
  readonly Table?: { readonly CapacityUnits?: number };
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits?: number }>>;
  readonly LocalSecondaryIndexes?: Readonly<Record<string, { readonly CapacityUnits?: number }>>;
}

async function sendAll({ send }: Prover, requests: readonly Request[], spent: Spent): Promise<Answer[]> {
  const answers = (await Promise.all(requests.map((request) => send(request)))) as (Answer & {
    readonly ConsumedCapacity?: Capacity | readonly Capacity[];
  })[];
  requests.forEach(({ operation }, at) => {
    const kind =
      operation === 'GetItem' || operation === 'Query' || operation === 'BatchGetItem' ? 'read' : 'write';
    const { ConsumedCapacity: consumed } = answers[at]!;
    for (const one of consumed === undefined
      ? []
      : Array.isArray(consumed)
        ? (consumed as Capacity[])
        : [consumed as Capacity]) {
      spent[kind] += one.CapacityUnits ?? 0;
      const name = one.TableName ?? '';
      addArm(spent, name, kind, one.Table?.CapacityUnits ?? 0);
      for (const indexes of [one.GlobalSecondaryIndexes, one.LocalSecondaryIndexes])
        for (const [index, { CapacityUnits = 0 }] of Object.entries(indexes ?? {}))
          addArm(spent, `${name}/${index}`, kind, CapacityUnits);
    }
  });
  return answers;
}

function addArm({ arms }: Spent, arm: string, kind: 'read' | 'write', units: number): void {
  if (units === 0) return;
  const known = arms.get(arm) ?? { read: 0, write: 0 };
  known[kind] += units;
  arms.set(arm, known);
}

function settle(tally: Tally, spent: Spent, expected: ForecastUnits | undefined, what: string): void {
  tally.read += spent.read;
  tally.write += spent.write;
  for (const [arm, { read, write }] of spent.arms) {
    const known = tally.arms.get(arm) ?? { read: 0, write: 0 };
    known.read += read;
    known.write += write;
    tally.arms.set(arm, known);
  }
  if (expected === undefined) {
    tally.unexpected++;
    return;
  }
  tally.expectedRead += expected.read;
  tally.expectedWrite += expected.write;
  if (expected.read === spent.read && expected.write === spent.write) return;
  tally.differing++;
  if (tally.costs.length < wrongsKept)
    tally.costs.push(
      `${what}: charged ${spent.read} read and ${spent.write} write units, its items let expect ${expected.read} and ${expected.write}`,
    );
}

function note(tally: Tally, text: string): void {
  if (tally.wrongs.length < wrongsKept) tally.wrongs.push(text.slice(0, 500));
}
