import { profileOption } from './flags.ts';
import type { CommandHelp } from './help.ts';
import type { OptionTable } from './option.ts';
import type { Output } from './output.ts';
import type { Environment, Settings } from './settings.ts';

/** What a command is given of the process it runs in. */
export interface Surroundings {
  readonly args: readonly string[];
  readonly environment: Environment;
  readonly directory: string;
  /** Output that follows the settings once they are known. */
  output(choices: { readonly json: boolean; readonly quiet: boolean }): Output;
}

export interface CommandContext {
  readonly output: Output;
  /** What stands on the command line besides flags, for commands that take it. */
  readonly operand: string | undefined;
  /** The same, for commands that take several. */
  readonly operands: readonly string[];
  readonly environment: Environment;
  /** What relative paths on the command line are relative to. */
  readonly directory: string;
}

export type Run<Table extends OptionTable> = (
  settings: Settings<Table>,
  context: CommandContext,
) => Promise<void>;

/** One command; `load` brings in what it needs only when it is given, so that `--version` opens no database. */
export interface Command<Table extends OptionTable = OptionTable> {
  readonly summary: string;
  readonly help: CommandHelp;
  readonly options: Table;
  /** What the command takes besides flags, as help shows it. */
  readonly operand?: string;
  /** How many words besides flags there can be; one unless given. */
  readonly operandsMax?: number;
  load(): Promise<Run<Table>>;
  /** Commands under this one, such as `derive` of `stator design derive`. The command itself then only prints its help. */
  readonly verbs?: Readonly<Record<string, Command>>;
  /** Whether a command with verbs also does something without one. */
  readonly runsAlone?: boolean;
}

/**
 * Forgets which options a command has, so that commands of all kinds fit one table. Every command that calls an endpoint
 * takes `--profile`.
 */
export function command<Table extends OptionTable>(given: Command<Table>): Command {
  const one = given as unknown as Command;
  if (given.options.endpoint === undefined) return one;
  return { ...one, options: { ...given.options, profile: profileOption } };
}
