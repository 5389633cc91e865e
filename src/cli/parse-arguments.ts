import { nearest } from '../model/nearest.ts';
import { UsageError } from './failure.ts';
import { shortFlags } from './flags.ts';
import { flagName, type OptionTable } from './option.ts';

/** A flag as it was given: under which spelling, and with which text. */
export interface GivenFlag {
  readonly spelling: string;
  readonly text: string;
}

export type GivenFlags = ReadonlyMap<string, GivenFlag>;

interface Spelling {
  readonly key: string;
  readonly takesValue: boolean;
  readonly negated: boolean;
}

/**
 * The flags of a command line, by the keys of `table`. Values are text still; nothing is looked up elsewhere. What is
 * no flag goes into `operands`, of which there can be `operandsMax`, and is refused without them.
 */
export function parseArguments(
  table: OptionTable,
  args: readonly string[],
  command: string,
  operands?: string[],
  operandsMax = 1,
): GivenFlags {
  const spellings = spellingsOf(table);
  const given = new Map<string, GivenFlag>();
  for (let at = 0; at < args.length; at++) {
    const argument = args[at]!;
    const isOperand = !argument.startsWith('-') || argument === '-';
    if (isOperand && operands !== undefined && operands.length < operandsMax) {
      operands.push(argument);
      continue;
    }
    if (isOperand) throw new UsageError(`${command} takes no argument "${argument}".`, seeHelp(command));
    const equals = argument.indexOf('=');
    const spelling = equals === -1 ? argument : argument.slice(0, equals);
    const found = spellings.get(spelling);
    if (found === undefined) throw unknownFlag(spelling, spellings, command);
    let text = equals === -1 ? undefined : argument.slice(equals + 1);
    if (found.takesValue) {
      if (text === undefined) {
        text = args[++at];
        if (text === undefined || isFlag(text)) throw missingValue(spelling, text);
      }
    } else if (found.negated) {
      if (text !== undefined) throw new UsageError(`${spelling} takes no value.`, seeHelp(command));
      text = 'false';
    }
    add(given, found.key, { spelling, text: text ?? 'true' }, found.takesValue);
  }
  return given;
}

/** A number below zero is a value. */
function isFlag(text: string): boolean {
  return /^--?[a-z]/i.test(text);
}

function missingValue(spelling: string, next: string | undefined): UsageError {
  const found = next === undefined ? 'the command ends after it' : `${next} follows it`;
  return new UsageError(
    `${spelling} needs a value, but ${found}.`,
    `Write ${spelling} <value> or ${spelling}=<value>.`,
  );
}

/**
 * Two values for one thing are a mistake that would be hard to see. A switch that is set twice is none: scripts for
 * DynamoDB Local are found that do it.
 */
function add(given: Map<string, GivenFlag>, key: string, flag: GivenFlag, takesValue: boolean): void {
  const earlier = given.get(key);
  if (earlier !== undefined && (takesValue || earlier.text !== flag.text))
    throw new UsageError(
      earlier.spelling === flag.spelling
        ? `${flag.spelling} is given twice.`
        : `${earlier.spelling} and ${flag.spelling} are the same option, and both are given.`,
      'Leave one of them out.',
    );
  given.set(key, flag);
}

function spellingsOf(table: OptionTable): Map<string, Spelling> {
  const spellings = new Map<string, Spelling>();
  for (const [key, option] of Object.entries(table)) {
    const takesValue = option.takes !== undefined;
    const spelling = { key, takesValue, negated: false };
    spellings.set(`--${flagName(key)}`, spelling);
    if (!takesValue && !option.flagOnly)
      spellings.set(`--no-${flagName(key)}`, { ...spelling, negated: true });
    if (option.awsFlag !== undefined) spellings.set(option.awsFlag, spelling);
    if (option.dynamoDbLocal === undefined) continue;
    spellings.set(`-${option.dynamoDbLocal}`, spelling);
    spellings.set(`--${option.dynamoDbLocal}`, spelling);
  }
  for (const [short, key] of Object.entries(shortFlags))
    if (table[key] !== undefined) spellings.set(short, { key, takesValue: false, negated: false });
  return spellings;
}

function unknownFlag(
  spelling: string,
  spellings: ReadonlyMap<string, Spelling>,
  command: string,
): UsageError {
  // Of several spellings for one thing, ours come first, except to somebody who writes DynamoDB Local's.
  const ours = /^-[^-]/.test(spelling) ? /^-[^-]./ : /^--/;
  const inOrder = [...spellings.keys()].sort((a, b) => Number(ours.test(b)) - Number(ours.test(a)));
  const meant = nearest(spelling, inOrder);
  return new UsageError(
    `Unknown flag ${spelling}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    seeHelp(command),
  );
}

export function seeHelp(command: string): string {
  return `See stator help ${command}.`;
}
