import {
  type CompiledDesign,
  compile,
  type Design,
  derive,
  type Found,
  type Model,
  type ModelTypes,
  PatternError,
  type ReadOptions,
  run,
  type TypedModel,
  type Values,
  type WriteArguments,
} from '../design/index.ts';
import { EntityRequests } from './entity-calls.ts';
import { Pages } from './pages.ts';
import { type SdkClient, type SdkCommands, Sender } from './sender.ts';
import type { App, Upgrades, WriteCallOptions, WriteResult } from './types.ts';
import { runWrite } from './write-call.ts';

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
  const { tables = {}, design = derive(model), now = Date.now } = options;
  const known = new Set(design.tables.map(({ name }) => name));
  for (const name of Object.keys(tables))
    if (!known.has(name))
      throw new TypeError(`The design has no table "${name}", but ${[...known].join(' and ')}`);
  if (typeof (options.client as SdkClient | undefined)?.send !== 'function')
    throw new TypeError('A client of the AWS SDK must be given, such as { client: new DynamoDBClient() }');
  const tableName = (name: string) => tables[name] ?? name;
  const compiled = compile(model, design, {
    tableName,
    ...(options.upgrade === undefined ? {} : { upgrade: options.upgrade as never }),
  });
  const sender = new Sender({
    client: options.client,
    commands: options.commands,
    wait: options.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
    random: Math.random,
  });
  const patterns: Record<string, unknown> = {};
  for (const { name } of model.reads) patterns[name] = readCall(compiled, sender, name);
  for (const { name } of model.writes) patterns[name] = writeCall(compiled, sender, name, now);
  const entities = Object.fromEntries(
    [...compiled.entities].map(([name, { table }]) => [
      name,
      new EntityRequests(name, compiled, sender, tableName(table.name)),
    ]),
  );
  return { patterns: sealed(model, patterns), entities } as unknown as App<T>;
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

function readCall(compiled: CompiledDesign, sender: Sender, name: string) {
  const plan = compiled.reads.get(name);
  if (plan === undefined) throw new PatternError(name, 'the design has no plan for it');
  const { entities, result } = plan.pattern;
  const shown = (one: Found) => (entities.length === 1 ? one.values : one);
  const send = (request: Parameters<Sender['send']>[1]) => sender.send(name, request);
  if (result === 'one')
    return async (given: Values = {}, options: ReadOptions = {}) => {
      const { items } = await run(plan.begin(given, options), send);
      return items[0] === undefined ? undefined : shown(items[0]);
    };
  return (given: Values = {}, options: ReadOptions = {}) =>
    new Pages(async (cursor) => {
      const page = await run(plan.begin(given, { ...options, cursor }), send);
      const items = page.items.map(shown);
      return page.cursor === undefined ? { items } : { items, cursor: page.cursor };
    });
}

function writeCall(compiled: CompiledDesign, sender: Sender, name: string, now: () => number) {
  const plan = compiled.writes.get(name)!;
  const { labels, pattern } = plan;
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
      ...(result === undefined ? {} : { result: JSON.stringify(result) }),
      ...(remembers ? { nowMs: now() } : {}),
    };
    const run =
      remembers && command !== undefined ? { id: command, given: JSON.stringify(byStep) } : undefined;
    const written = await runWrite(sender, name, run, () => plan.begin(byStep, options));
    return written.replayed || result === undefined ? written : { ...written, result };
  };
}
