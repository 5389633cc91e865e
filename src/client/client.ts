import {
  type CompiledDesign,
  compile,
  type Design,
  derive,
  type Found,
  type Model,
  type ModelTypes,
  migrationFormat,
  PatternError,
  type ReadOptions,
  run,
  type TypedModel,
  type Values,
  type WriteArguments,
} from '../design/index.ts';
import { EntityRequests } from './entity-calls.ts';
import { type Designs, type MigrationChoice, OneDesign, PhaseDesigns } from './migration-phases.ts';
import { Pages } from './pages.ts';
import { type SdkClient, type SdkCommands, Sender } from './sender.ts';
import type { App, Upgrades, WriteCallOptions, WriteResult } from './types.ts';
import { runWrite } from './write-call.ts';

/** Options of `client`: an SDK client, the design, names of tables. */
export interface ClientOptions<T extends ModelTypes = ModelTypes> {
  /** A `DynamoDBClient` of the AWS SDK: of AWS, of a server, or `db.client()` of a database in this process. */
  readonly client: SdkClient;
  /** The design that the tables were made from; derived from the model unless given. */
  readonly design?: Design;
  /** The names of tables where the requests go, by their names in the design. */
  readonly tables?: Readonly<Record<string, string>>;
  /** The command classes of `@aws-sdk/client-dynamodb`, for bundlers; the package is loaded unless they are given. */
  readonly commands?: SdkCommands;
  /** How items of older schema versions are read, by entity. */
  readonly upgrade?: Upgrades<T>;
  /** A migration to this model that is under way: the client writes and reads by its phase. Then `design` is the plan's. */
  readonly migration?: MigrationChoice;
  /** The time in milliseconds, for records that expire. */
  readonly now?: () => number;
  /** Waits before a repetition. */
  readonly wait?: (ms: number) => Promise<void>;
}

/** The patterns and entities of a model as functions over a client of the AWS SDK. */
export function client<T extends ModelTypes>(
  model: TypedModel<T>,
  options: ClientOptions<NoInfer<T>>,
): App<T> {
  const { tables = {}, migration, now = Date.now } = options;
  const design = options.design ?? migration?.plan.to.design ?? derive(model);
  if (migration !== undefined) checkMigration(model, migration, options.design);
  const known = new Set(design.tables.map(({ name }) => name));
  for (const name of Object.keys(tables))
    if (!known.has(name))
      throw new TypeError(`The design has no table "${name}", but ${[...known].join(' and ')}`);
  if (typeof (options.client as SdkClient | undefined)?.send !== 'function')
    throw new TypeError('A client of the AWS SDK must be given, such as { client: new DynamoDBClient() }');
  const tableName = (name: string) => tables[name] ?? name;
  const compileOptions = {
    tableName,
    ...(options.upgrade === undefined ? {} : { upgrade: options.upgrade as never }),
  };
  const compiled = compile(model, design, compileOptions);
  const sender = new Sender({
    client: options.client,
    commands: options.commands,
    wait: options.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
    random: Math.random,
  });
  const designs: Designs =
    migration === undefined
      ? new OneDesign(compiled)
      : new PhaseDesigns(
          migration,
          (version) => compile(version.model, version.design, compileOptions),
          sender,
          tableName,
          now,
        );
  const patterns: Record<string, unknown> = {};
  for (const { name } of model.reads) patterns[name] = readCall(compiled, designs, sender, name);
  for (const { name } of model.writes) patterns[name] = writeCall(compiled, designs, sender, name, now);
  const entities: Record<string, object> = Object.fromEntries(
    [...compiled.entities].map(([name, { table }]) => [
      name,
      new EntityRequests(name, designs, sender, tableName(table.name)),
    ]),
  );
  // What lies inside other items has patterns, but no items that could be read or written by themselves.
  for (const { name } of model.entities) entities[name] ??= withoutItems(compiled, name);
  return { patterns: sealed(model, patterns), entities } as unknown as App<T>;
}

function withoutItems(compiled: CompiledDesign, name: string): object {
  const inside = compiled.design.tables
    .flatMap(({ embedded = [] }) => embedded)
    .find(({ entity }) => entity === name);
  return new Proxy(
    {},
    {
      get(_, call) {
        if (typeof call === 'symbol' || call === 'then' || call === 'toJSON') return undefined;
        const why =
          inside === undefined
            ? 'the design does not hold it'
            : `it lies in "${inside.attribute}" of ${inside.parent} and has no items of its own: use the patterns`;
        throw new PatternError(`${name}.${call}`, why);
      },
    },
  );
}

/** A pattern that a program without types misspells gets an error that lists the ones there are. */
function sealed(model: Model, patterns: Record<string, unknown>): object {
  return new Proxy(patterns, {
    get(target, name) {
      if (typeof name === 'symbol' || name in target) return target[name as string];
      // What is awaited is asked whether it is a promise.
      if (name === 'then' || name === 'toJSON') return undefined;
      throw new PatternError(
        model.name,
        `there is no pattern "${name}", but ${Object.keys(target).join(', ')}`,
      );
    },
  });
}

function readCall(compiled: CompiledDesign, designs: Designs, sender: Sender, name: string) {
  const plan = compiled.reads.get(name);
  if (plan === undefined) throw new PatternError(name, 'the design has no plan for it');
  const { entities, result } = plan.pattern;
  const shown = (one: Found) => (entities.length === 1 ? one.values : one);
  const send = (request: Parameters<Sender['send']>[1]) => sender.send(name, request);
  const planIn = (at: CompiledDesign) => {
    const found = at.reads.get(name);
    if (found === undefined)
      throw new PatternError(name, 'it is answered from the flip of the migration on, and not before');
    return found;
  };
  if (result === 'one')
    return async (given: Values = {}, options: ReadOptions = {}) => {
      const at = designs.current();
      const now = at instanceof Promise ? await at : at;
      const { items } = await run(planIn(now).begin(given, options), send);
      return items[0] === undefined ? undefined : shown(items[0]);
    };
  return (given: Values = {}, options: ReadOptions = {}) =>
    new Pages(async (cursor) => {
      const begun = cursor === undefined ? undefined : designs.unwrap(name, cursor);
      const place = begun instanceof Promise ? await begun : begun;
      const at = place?.compiled ?? designs.current();
      const now = at instanceof Promise ? await at : at;
      const page = await run(planIn(now).begin(given, { ...options, cursor: place?.cursor }), send);
      const items = page.items.map(shown);
      return page.cursor === undefined ? { items } : { items, cursor: designs.wrap(page.cursor, now) };
    });
}

function writeCall(
  compiled: CompiledDesign,
  designs: Designs,
  sender: Sender,
  name: string,
  now: () => number,
) {
  const { labels, pattern } = compiled.writes.get(name)!;
  const remembers = pattern.idempotency?.kind === 'record';
  return async (
    given: object,
    { command, result, token }: WriteCallOptions<unknown> = {},
  ): Promise<WriteResult<unknown>> => {
    if (result !== undefined && !remembers) throw new PatternError(name, 'it remembers no results');
    if (typeof given !== 'object' || given === null)
      throw new PatternError(name, `it takes the values of ${labels.join(', ')}`);
    const byStep = (labels.length === 1 ? { [labels[0]!]: given } : given) as WriteArguments;
    const options = {
      command,
      token,
      spreadBy: sender.draw(),
      ...(result === undefined ? {} : { result: JSON.stringify(result) }),
      ...(remembers ? { nowMs: now() } : {}),
    };
    const run = remembers && command !== undefined ? { id: command, given: byStep } : undefined;
    const at = designs.current();
    const plan = (at instanceof Promise ? await at : at).writes.get(name)!;
    const written = await runWrite(sender, name, run, (more) => plan.begin(byStep, { ...options, ...more }));
    return written.replayed || result === undefined ? written : { ...written, result };
  };
}

function checkMigration(model: Model, { plan }: MigrationChoice, design: Design | undefined): void {
  if (design !== undefined)
    throw new TypeError('A migration brings its own designs: leave out either "design" or "migration"');
  if (plan?.format !== migrationFormat)
    throw new TypeError(`The plan of a migration has the format "${migrationFormat}"`);
  if (JSON.stringify(plan.to.model) !== JSON.stringify(model))
    throw new TypeError(
      `The plan leads to another model than the client was given: plan it again from the model "${model.name}" of today`,
    );
}
