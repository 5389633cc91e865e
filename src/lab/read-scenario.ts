import { type JsonSchema, type SchemaFault, schemaFaults } from '../model/json/json-schema.ts';
import { nearest } from '../model/nearest.ts';
import { keysNeeded } from './actions.ts';
import { variantsOf } from './lay-over.ts';
import type { Locate } from './locate.ts';
import type { ActionSpec, PatternSpec, Scenario } from './scenario.ts';
import { ScenarioError } from './scenario-error.ts';
import { patternsOf } from './scenario-feed.ts';
import { scenarioSchema } from './scenario-schema.ts';
import { builtInNames } from './template.ts';

type Path = readonly (string | number)[];

/** The most calls of one variant: some hours of a large table. */
const callsMax = 200_000_000;
const itemsMax = 5_000_000;

/** Checks what a user wrote, and answers it as a scenario. The first thing that is wrong is told with its line. */
export function readScenario(value: unknown, locate: Locate = () => undefined): Scenario {
  checkSchema(scenarioSchema, value, locate);
  const scenario = value as Scenario;
  new Checker(scenario, locate).check();
  for (const { name, scenario: laid } of variantsOf(scenario)) {
    const changes = scenario.variants?.[name];
    // A fault is told where it was written: in the variant, if it changes that part.
    new Checker(laid, (path, isName) => {
      const [part, of] = path as [keyof Scenario, string];
      const inVariant = (changes?.[part as 'patterns'] as Record<string, unknown> | undefined)?.[of];
      return inVariant === undefined ? locate(path, isName) : locate(['variants', name, ...path], isName);
    }).check();
  }
  return scenario;
}

export function checkSchema(schema: JsonSchema, value: unknown, locate: Locate): void {
  // Only the first fault is shown.
  const { value: fault } = schemaFaults(schema, value).next() as { readonly value?: SchemaFault };
  if (fault === undefined) return;
  const { path, problem, isName } = fault;
  const where = path.length === 0 ? 'the scenario' : shown(path);
  throw new ScenarioError(`${where} ${problem}`, locate(path, isName));
}

/** Checks that everything that is named is there, and that the work is possible. */
class Checker {
  readonly #scenario: Scenario;
  readonly #locate: Locate;

  constructor(scenario: Scenario, locate: Locate) {
    this.#scenario = scenario;
    this.#locate = locate;
  }

  check(): void {
    const { entities = {}, keys = {}, tables, startAt } = this.#scenario;
    if (startAt !== undefined && Number.isNaN(Date.parse(startAt)))
      this.#refuse(['startAt'], `"${startAt}" is no time; write it as 2026-11-23T09:00:00Z`);
    for (const [at, table] of tables.entries())
      if (table.mode === undefined && (table.provisioned ?? table.autoScaling) !== undefined)
        this.#refuse(
          ['tables', at],
          `the table "${table.name}" has provisioned units, so that its "mode" must be "provisioned"`,
        );
    for (const name of Object.keys(keys))
      if (builtInNames.includes(name))
        this.#refuse(['keys', name], `"${name}" has a meaning of its own in texts`, true);
    let items = 0;
    for (const [name, { table, key, load }] of Object.entries(entities)) {
      const found = tables.find((one) => one.name === table);
      if (found === undefined)
        this.#unknown(
          ['entities', name, 'table'],
          'table',
          table,
          tables.map((one) => one.name),
        );
      for (const attribute of [found!.partitionKey, found!.sortKey])
        if (attribute !== undefined && key[attribute] === undefined)
          this.#refuse(
            ['entities', name, 'key'],
            `the key of ${name} needs "${attribute}", a key of ${table}`,
          );
      if (load === undefined) continue;
      if (keys[load.each] === undefined)
        this.#unknown(['entities', name, 'load', 'each'], 'key', load.each, Object.keys(keys));
      items += keys[load.each]!.count * (load.times ?? 1);
      for (const needed of keysNeeded(this.#scenario, { put: name }))
        if (keys[needed] === undefined)
          this.#unknown(['entities', name, 'key'], 'key', needed, [...Object.keys(keys), ...builtInNames]);
    }
    if (items > itemsMax)
      this.#refuse(
        ['entities'],
        `${grouped(items)} items would be loaded; at most ${grouped(itemsMax)} may be`,
      );
    this.#checkPatterns();
  }

  #checkPatterns(): void {
    const { keys = {}, seconds } = this.#scenario;
    const patterns = patternsOf(this.#scenario);
    if (patterns.length === 0) this.#refuse(['patterns'], 'there is no pattern that calls anything');
    let calls = 0;
    for (const [name, spec] of patterns) {
      const path = ['patterns', name];
      this.#checkAction(path, spec);
      const { after, rate } = spec;
      if ((after === undefined) === (rate === undefined))
        this.#refuse(path, `${name} needs either a "rate" or "after"`);
      if (after !== undefined && !patterns.some(([other]) => other === after.pattern && other !== name))
        this.#unknown(
          [...path, 'after', 'pattern'],
          'pattern',
          after.pattern,
          patterns.map(([other]) => other),
        );
      for (const key of Object.keys(spec.keys ?? {}))
        if (keys[key] === undefined)
          this.#unknown([...path, 'keys', key], 'key', key, Object.keys(keys), true);
      for (const needed of keysNeeded(this.#scenario, spec))
        if (keys[needed] === undefined)
          this.#unknown(path, 'key', needed, [...Object.keys(keys), ...builtInNames]);
      calls += Math.min(spec.times ?? Number.POSITIVE_INFINITY, (rate ?? 0) * largest(spec) * seconds);
    }
    if (calls > callsMax)
      this.#refuse(
        ['seconds'],
        `about ${grouped(Math.round(calls))} calls are asked for; at most ${grouped(callsMax)} may be`,
      );
  }

  #checkAction(path: Path, action: ActionSpec): void {
    const kinds = actionKinds.filter((kind) => action[kind] !== undefined);
    if (kinds.length !== 1)
      this.#refuse(
        path,
        `${String(path[1])} needs one of ${actionKinds.join(', ')}${kinds.length > 1 ? `, and has ${kinds.join(' and ')}` : ''}`,
      );
    const [kind] = kinds;
    if (kind === 'transact') {
      for (const [at, one] of action.transact!.entries()) this.#checkAction([...path, 'transact', at], one);
      return;
    }
    const { entities = {}, tables } = this.#scenario;
    const entity = action[kind!] as string;
    const spec = entities[entity];
    if (spec === undefined) this.#unknown([...path, kind!], 'entity', entity, Object.keys(entities));
    if (kind === 'update' && !changes.some((change) => action[change] !== undefined))
      this.#refuse(path, `an update needs one of ${changes.join(', ')}`);
    if (action.index === undefined) return;
    const indexes = tables.find(({ name }) => name === spec!.table)!.indexes ?? [];
    const index = indexes.find(({ name }) => name === action.index);
    if (index === undefined)
      this.#unknown(
        [...path, 'index'],
        'index',
        action.index,
        indexes.map(({ name }) => name),
      );
    if (spec!.attributes?.[index!.partitionKey] === undefined && spec!.key[index!.partitionKey] === undefined)
      this.#refuse(
        [...path, 'index'],
        `${entity} has no "${index!.partitionKey}", the key of ${action.index}`,
      );
  }

  #unknown(path: Path, what: string, name: string, names: readonly string[], isName = false): never {
    const meant = nearest(name, [...names]);
    const advice =
      meant !== undefined
        ? ` Did you mean "${meant}"?`
        : names.length > 0
          ? ` There ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}.`
          : '';
    return this.#refuse(path, `there is no ${what} "${name}".${advice}`, isName);
  }

  #refuse(path: Path, problem: string, isName = false): never {
    throw new ScenarioError(`${shown(path)}: ${problem}`, this.#locate(path, isName));
  }
}

const actionKinds = ['put', 'get', 'update', 'delete', 'query', 'scan', 'transact'] as const;
const changes = ['set', 'add', 'append', 'remove'] as const;

function largest({ curve }: PatternSpec): number {
  if (curve === undefined) return 1;
  const factors = JSON.stringify(curve).matchAll(/"(?:factor|from|to|low|high|base)":([\d.e+]+)/g);
  return Math.max(0, ...Array.from(factors, ([, factor]) => Number(factor))) || 1;
}

/** `patterns.scan.rate`, `tables[0].name` */
function shown(path: Path): string {
  return path.map((one, at) => (typeof one === 'number' ? `[${one}]` : at === 0 ? one : `.${one}`)).join('');
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
