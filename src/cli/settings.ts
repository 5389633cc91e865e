import { nearest } from '../model/nearest.ts';
import { UsageError } from './failure.ts';
import { flagName, type Option, type OptionTable, type Reading, variableName } from './option.ts';
import type { GivenFlags } from './parse-arguments.ts';

/** Where a value came from, the strongest first. */
export type SourceKind = 'flag' | 'environment' | 'config' | 'default';

export interface Setting<Value> {
  readonly value: Value;
  readonly source: SourceKind;
  /** The name it was given under, for messages: `--port`, `STATOR_PORT`, `port in stator.config.json`. */
  readonly name: string;
}

export type Settings<Table extends OptionTable> = {
  readonly [Key in keyof Table]: Setting<Table[Key] extends Option<infer Value> ? Value : never>;
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** The values in a config file, not yet looked at. */
export interface ConfigValues {
  readonly path: string;
  readonly directory: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface Sources {
  readonly flags: GivenFlags;
  readonly environment: Environment;
  readonly config: ConfigValues | undefined;
  readonly directory: string;
  /** Values of the AWS profile, by the names of the variables that would say the same. They come after the config file. */
  readonly profile?: Environment | undefined;
}

/** One value for each option: the flag's, else the variable's, else the config file's, else the default. */
export function settle<Table extends OptionTable>(table: Table, sources: Sources): Settings<Table> {
  const settings: Record<string, Setting<unknown>> = {};
  for (const [key, option] of Object.entries(table)) settings[key] = settleOne(key, option, sources);
  return settings as Settings<Table>;
}

export function settleOne<Value>(key: string, option: Option<Value>, sources: Sources): Setting<Value> {
  const flag = sources.flags.get(key);
  if (flag !== undefined) return setting(option.read(flag.text, sources.directory), 'flag', flag.spelling);
  if (!option.flagOnly) {
    for (const name of [variableName(key), ...option.awsVariables]) {
      const variable = sources.environment[name];
      // Compose files and CI pass an unset variable on as an empty one.
      if (variable !== undefined && variable !== '')
        return setting(option.read(variable, sources.directory), 'environment', name);
    }
    const config = sources.config;
    if (config !== undefined && Object.hasOwn(config.values, key))
      return setting(readConfigured(option, config, key), 'config', `${key} in ${config.path}`);
    for (const name of option.awsVariables) {
      const value = sources.profile?.[name];
      if (value !== undefined)
        return setting(option.read(value, sources.directory), 'config', 'endpoint_url of the AWS profile');
    }
  }
  return { value: option.fallback(sources.directory), source: 'default', name: `--${flagName(key)}` };
}

function setting<Value>(reading: Reading<Value>, source: SourceKind, name: string): Setting<Value> {
  if ('problem' in reading) throw new UsageError(`${name} ${reading.problem}.`);
  return { value: reading.value, source, name };
}

function readConfigured<Value>(option: Option<Value>, config: ConfigValues, key: string): Reading<Value> {
  const value = config.values[key];
  if (typeof value !== option.jsonType) return { problem: `must be a ${option.jsonType}` };
  return option.read(String(value), config.directory);
}

/** `tables` are those of all commands: one config file serves them all. */
export function refuseUnknownKeys(config: ConfigValues, tables: readonly OptionTable[]): void {
  const known = tables.flatMap((table) =>
    Object.entries(table).flatMap(([key, option]) => (option.flagOnly || key === 'config' ? [] : [key])),
  );
  for (const key of Object.keys(config.values)) {
    if (known.includes(key)) continue;
    const meant = nearest(key, known);
    throw new UsageError(
      `Unknown key ${JSON.stringify(key)} in ${config.path}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
      'The keys are the flags of stator help start in camel case, such as dataDir.',
    );
  }
}

/** A variable that looks like ours and is not would be ignored in silence. */
export function unknownVariables(environment: Environment, tables: readonly OptionTable[]): string[] {
  const known = [...new Set(tables.flatMap((table) => Object.keys(table).map(variableName))), 'STATOR_DEBUG'];
  return Object.keys(environment).flatMap((name) => {
    if (!name.startsWith('STATOR_') || known.includes(name)) return [];
    const meant = nearest(
      name.slice('STATOR_'.length),
      known.map((each) => each.slice('STATOR_'.length)),
    );
    return meant === undefined ? [] : [`${name} is not read; did you mean STATOR_${meant}?`];
  });
}
