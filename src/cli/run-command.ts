import { nearest } from '../model/nearest.ts';
import type { Command, Surroundings } from './command.ts';
import { commandList, commands, otherWords, shortHelp } from './commands.ts';
import { readConfigFile } from './config-file.ts';
import { UsageError } from './failure.ts';
import { checkOptions, compactOptions, explainOptions, startOptions, tailOptions } from './flags.ts';
import { helpText } from './help.ts';
import { type GivenFlags, parseArguments, seeHelp } from './parse-arguments.ts';
import { refuseUnknownKeys, settle, settleOne, unknownVariables } from './settings.ts';
import { packageVersion } from './version.ts';
import { workerWord } from './worker-messages.ts';

const allTables = [startOptions, compactOptions, checkOptions, explainOptions, tailOptions];

/** Does what the command line says. Rejects with a `Failure` where that cannot be done. */
export async function runCommand(surroundings: Surroundings): Promise<void> {
  const [first, ...rest] = surroundings.args;
  if (first === undefined || first.startsWith('-')) return runNamed('start', surroundings.args, surroundings);
  if (first === 'help')
    return rest[0] === undefined ? printShortHelp(surroundings) : printHelp(rest[0], surroundings);
  if (first === 'version') return printVersion(surroundings);
  if (first === workerWord && process.connected) return (await import('./worker.ts')).runWorker(surroundings);
  return runNamed(first, rest, surroundings);
}

async function runNamed(name: string, args: readonly string[], surroundings: Surroundings): Promise<void> {
  const command = commandNamed(name);
  const operands: string[] = [];
  const flags = parseArguments(
    command.options,
    args,
    name,
    command.operand === undefined ? undefined : operands,
  );
  // Of the other commands the whole help is short.
  if (isSet(flags, 'help'))
    return name === 'start' ? printShortHelp(surroundings) : printHelp(name, surroundings);
  if (isSet(flags, 'version')) return printVersion(surroundings);

  const { environment, directory } = surroundings;
  const withoutConfig = { flags, environment, directory, config: undefined };
  const named = settleOne('config', startOptions.config, withoutConfig).value;
  const config = await readConfigFile(named, directory);
  if (config !== undefined) refuseUnknownKeys(config, allTables);
  const settings = settle(command.options, { ...withoutConfig, config });

  const output = surroundings.output({
    json: settings.json?.value === true,
    quiet: settings.quiet?.value === true,
  });
  for (const line of unknownVariables(environment, allTables)) output.log('warning', line);
  const run = await command.load();
  await run(settings, { output, operand: operands[0], environment });
}

function commandNamed(name: string): Command {
  if (Object.hasOwn(commands, name)) return commands[name]!;
  const meant = nearest(name, [...Object.keys(commands), ...otherWords]);
  throw new UsageError(
    `Unknown command ${JSON.stringify(name)}.${meant === undefined ? '' : ` Did you mean stator ${meant}?`}`,
    seeHelp('start'),
  );
}

function isSet(flags: GivenFlags, key: string): boolean {
  return flags.get(key)?.text === 'true';
}

function printShortHelp(surroundings: Surroundings): void {
  surroundings.output({ json: false, quiet: false }).print(shortHelp());
}

function printHelp(name: string, surroundings: Surroundings): void {
  const { help, options } = commandNamed(name);
  const text = helpText(help, options);
  surroundings
    .output({ json: false, quiet: false })
    .print(name === 'start' ? `${text}\n\n${commandList()}` : text);
}

function printVersion(surroundings: Surroundings): void {
  surroundings.output({ json: false, quiet: false }).print(packageVersion());
}
