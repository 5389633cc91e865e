import { createReadStream, existsSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { compile, type Design, type Model, modelFormat } from '../../design/index.ts';
import type { RetryMode } from '../../kit/sdk-policies.ts';
import { includedScenario, includedScenarios } from '../../lab/included.ts';
import { jsonFault } from '../../lab/json-fault.ts';
import { type LabSource, scenarioSource } from '../../lab/lab-source.ts';
import { laidOver, variantsOf } from '../../lab/lay-over.ts';
import { type Locate, locateInJson, locateInSource } from '../../lab/locate.ts';
import { type ModelTraffic, modelSource } from '../../lab/model-source.ts';
import { checkSchema, readScenario } from '../../lab/read-scenario.ts';
import { recordedSource } from '../../lab/recorded-source.ts';
import type { Lab } from '../../lab/run-lab.ts';
import type { Scenario, TableSpec } from '../../lab/scenario.ts';
import { ScenarioError } from '../../lab/scenario-error.ts';
import { trafficSchema } from '../../lab/scenario-schema.ts';
import { labTable } from '../../lab/table-requests.ts';
import { nearest } from '../../model/nearest.ts';
import { type RequestLine, readTraffic, TrafficError } from '../../traffic/traffic-file.ts';
import { derivedFrom, readDesign } from '../design/derive.ts';
import { loadModel, loadModule, modelFromJson, readText } from '../design/load-model.ts';
import { Failure, UsageError } from '../failure.ts';

/** What the command line changes of a scenario. */
export interface Overrides {
  readonly seed: number | undefined;
  readonly seconds: number | undefined;
  readonly clients: number | undefined;
  readonly retry: RetryMode | undefined;
  readonly variants: readonly string[] | undefined;
}

export interface LoadedLab extends Lab {
  readonly seed: number;
}

/** A scenario that refers to a model or to recorded traffic instead of saying everything itself. */
interface TrafficScenario {
  readonly name?: string;
  readonly description?: string;
  readonly startAt?: string;
  readonly seconds?: number;
  readonly seed?: number;
  readonly clients?: number;
  readonly retry?: RetryMode;
  readonly attempts?: number;
  readonly model?: string;
  readonly design?: string;
  readonly recorded?: string;
  readonly tables?: readonly TableSpec[];
  readonly traffic?: ModelTraffic;
}

const seedUsual = 1;
const secondsUsual = 60;

/** Finds what the command line names: an included scenario, or a file. Everything that can be wrong is a `Failure`. */
export async function loadLab(operand: string, directory: string, overrides: Overrides): Promise<LoadedLab> {
  const included = includedScenario(operand);
  if (included !== undefined) return { ...labOf(included.scenario, overrides), story: included.story };
  const path = resolve(directory, operand);
  if (!existsSync(path)) {
    const names = includedScenarios.map(({ scenario }) => scenario.name);
    const meant = nearest(operand, names);
    throw new UsageError(
      `There is no scenario ${JSON.stringify(operand)}, and no such file.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
      `Scenarios that come with Stator: ${names.join(', ')}.`,
    );
  }
  if (extname(path) === '.jsonl') return recordedLab(path, { name: operand }, overrides);
  return extname(path) === '.json' ? fromJson(path, overrides) : fromModule(path, overrides);
}

async function fromJson(path: string, overrides: Overrides): Promise<LoadedLab> {
  const text = readText(path);
  const fault = jsonFault(text);
  if (fault !== undefined) throw new Failure(`${path}\nline ${fault.line}: ${fault.problem}`);
  const value: unknown = JSON.parse(text);
  if (isObject(value) && value.format === modelFormat)
    return modelLab(path, modelFromJson(path, text), { name: path }, overrides);
  return fromValue(path, value, locateInJson(text), overrides);
}

async function fromModule(path: string, overrides: Overrides): Promise<LoadedLab> {
  const module = await loadModule(path);
  const inner = isObject(module.default) && 'default' in module.default ? module.default : module;
  const { default: value, traffic, scenario } = inner as Readonly<Record<string, unknown>>;
  const locate = locateInSource(readText(path));
  if (isObject(value) && value.format === modelFormat) {
    const given = { format: 'stator-lab/1', ...(traffic !== undefined && { traffic }) };
    guarded(path, () => checkSchema(trafficSchema, given, locate));
    checkPatterns(path, value as unknown as Model, given as TrafficScenario, locate);
    return modelLab(path, value as unknown as Model, given as TrafficScenario, overrides);
  }
  if (value === undefined && scenario === undefined)
    throw new Failure(
      `${path} exports no scenario.`,
      "Write export default { format: 'stator-lab/1', … }, or export a model from stator/design.",
    );
  return fromValue(path, value ?? scenario, locate, overrides);
}

async function fromValue(
  path: string,
  value: unknown,
  locate: Locate,
  overrides: Overrides,
): Promise<LoadedLab> {
  if (isObject(value) && ('model' in value || 'recorded' in value)) {
    guarded(path, () => checkSchema(trafficSchema, value, locate));
    const given = value as TrafficScenario;
    if (given.recorded !== undefined)
      return recordedLab(
        resolve(dirname(path), given.recorded),
        { ...given, name: given.name ?? path },
        overrides,
      );
    const { model } = await loadModel(given.model, dirname(path), 'lab');
    checkPatterns(path, model, given, locate);
    return modelLab(resolve(dirname(path), given.model!), model, given, overrides, dirname(path));
  }
  const traced = await withTraces(value, path, [], locate);
  return labOf(
    guarded(path, () => readScenario(traced, locate)),
    overrides,
  );
}

function labOf(scenario: Scenario, overrides: Overrides): LoadedLab {
  const { seconds, clients, retry, variants } = overrides;
  const all = variantsOf(scenario);
  for (const name of variants ?? [])
    if (!all.some((one) => one.name === name)) {
      const names = all.map((one) => one.name);
      const meant = nearest(name, names);
      throw new UsageError(
        `${scenario.name} has no variant ${JSON.stringify(name)}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
        `Its variants: ${names.join(', ')}.`,
      );
    }
  const chosen = variants === undefined ? all : variants.map((name) => all.find((one) => one.name === name)!);
  return {
    name: scenario.name,
    description: scenario.description ?? '',
    seed: overrides.seed ?? scenario.seed ?? seedUsual,
    sources: chosen.map(({ name, change, scenario: laid }) =>
      scenarioSource(
        laidOver(laid, {
          ...(seconds !== undefined && { seconds }),
          ...(clients !== undefined && { clients }),
          ...(retry !== undefined && { retry }),
        }),
        name,
        change,
      ),
    ),
  };
}

function modelLab(
  path: string,
  model: Model,
  given: TrafficScenario,
  overrides: Overrides,
  directory = dirname(path),
): LoadedLab {
  const design: Design =
    given.design === undefined ? derivedFrom(path, model) : readDesign(resolve(directory, given.design));
  const seed = overrides.seed ?? given.seed ?? seedUsual;
  const { traffic = {} } = given;
  const source: LabSource = modelSource({
    name: model.name,
    change: model.description ?? '',
    compiled: compile(model, design),
    traffic,
    seconds: overrides.seconds ?? given.seconds ?? secondsUsual,
    seed,
    startAt: given.startAt,
    clients: overrides.clients ?? given.clients,
    retry: overrides.retry ?? given.retry,
    attempts: given.attempts,
  });
  return { name: model.name, description: model.description ?? '', seed, sources: [source] };
}

/** Refuses traffic of patterns that the model does not have, where it is written. */
function checkPatterns(path: string, model: Model, { traffic }: TrafficScenario, locate: Locate): void {
  const names = [...model.reads, ...model.writes].map(({ name }) => name);
  for (const name of Object.keys(traffic?.patterns ?? {})) {
    if (names.includes(name)) continue;
    const meant = nearest(name, names);
    const place = ['traffic', 'patterns', name];
    const problem = `the model ${model.name} has no pattern ${JSON.stringify(name)}.`;
    const { message } = new ScenarioError(
      `${place.join('.')}: ${problem}${meant === undefined ? ` There are ${names.join(', ')}.` : ` Did you mean ${JSON.stringify(meant)}?`}`,
      locate(place, true),
    );
    throw new Failure(`${path}\n${message}`);
  }
}

async function recordedLab(path: string, given: TrafficScenario, overrides: Overrides): Promise<LoadedLab> {
  if (!existsSync(path)) throw new Failure(`There is no file ${path}.`);
  try {
    const { header, lines } = await readTraffic(createReadStream(path));
    if (header.kind !== 'requests')
      throw new TrafficError(1, 'it holds calls of a model; the laboratory replays requests');
    const kept: RequestLine[] = [];
    const endMs = (overrides.seconds ?? Number.POSITIVE_INFINITY) * 1000;
    for await (const line of lines) if (line.at < endMs) kept.push(line as RequestLine);
    const named = new Set(kept.flatMap(({ input }) => tablesIn(input)));
    const tables = given.tables?.map(labTable);
    const known = new Set([
      ...(tables ?? []).map(({ name }) => name),
      ...(tables === undefined
        ? (header.tables ?? []).map((one) => (one as { TableName: string }).TableName)
        : []),
    ]);
    const missing = [...named].filter((name) => !known.has(name));
    if (missing.length > 0)
      throw new Failure(
        `${path} names the ${missing.length === 1 ? 'table' : 'tables'} ${missing.join(', ')}, of which it says nothing.`,
        'Record it with stator record, which writes tables down, or give a scenario with "recorded" and "tables".',
      );
    const name = given.name ?? path;
    return {
      name,
      description: header.note ?? `Requests recorded at ${header.startedAt}.`,
      seed: overrides.seed ?? given.seed ?? seedUsual,
      sources: [
        recordedSource({
          ...{ name, header, lines: kept, tables },
          clients: overrides.clients ?? given.clients,
          retry: overrides.retry ?? given.retry,
          attempts: given.attempts,
        }),
      ],
    };
  } catch (error) {
    if (error instanceof TrafficError) throw new Failure(`${path}: ${error.message}`, undefined, error);
    throw error;
  }
}

function tablesIn(input: Readonly<Record<string, unknown>>): string[] {
  const { TableName, RequestItems, TransactItems } = input as {
    readonly TableName?: string;
    readonly RequestItems?: object;
    readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName?: string }>>[];
  };
  return [
    ...(TableName === undefined ? [] : [TableName]),
    ...Object.keys(RequestItems ?? {}),
    ...(TransactItems ?? []).flatMap((action) => Object.values(action).flatMap((one) => one.TableName ?? [])),
  ];
}

/** Reads the files that traces of rates stand in: lines of `seconds,factor`. */
async function withTraces(
  value: unknown,
  path: string,
  place: readonly (string | number)[],
  locate: Locate,
): Promise<unknown> {
  if (Array.isArray(value))
    return Promise.all(value.map((one, at) => withTraces(one, path, [...place, at], locate)));
  if (!isObject(value)) return value;
  if (value.kind === 'trace' && typeof value.file === 'string') {
    const file = resolve(dirname(path), value.file);
    if (!existsSync(file)) {
      const { message } = new ScenarioError(`there is no file ${file}`, locate([...place, 'file'], false));
      throw new Failure(`${path}\n${message}`);
    }
    const points = readText(file)
      .split('\n')
      .map((line, at) => ({ line: line.trim(), number: at + 1 }))
      .filter(({ line, number }) => line !== '' && !(number === 1 && /[a-z]/i.test(line)))
      .map(({ line, number }) => {
        const [at, factor, ...others] = line.split(',').map(Number);
        if (others.length > 0 || !(at! >= 0) || !(factor! >= 0))
          throw new Failure(
            `${file}\nline ${number}: a trace has lines of seconds,factor, not ${JSON.stringify(line)}`,
          );
        return { at: at!, factor: factor! };
      });
    return { kind: 'trace', points };
  }
  const entries = await Promise.all(
    Object.entries(value).map(
      async ([name, one]) => [name, await withTraces(one, path, [...place, name], locate)] as const,
    ),
  );
  return Object.fromEntries(entries);
}

function guarded<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof ScenarioError) throw new Failure(`${path}\n${error.message}`, undefined, error);
    throw error;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
