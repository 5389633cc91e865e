import { nearest } from '../model/nearest.ts';
import type { Command, Surroundings } from './command.ts';
import { commands, otherWords, shortHelp, topicList } from './commands.ts';
import { readConfigFile } from './config-file.ts';
import { UsageError } from './failure.ts';
import { checkOptions, compactOptions, explainOptions, startOptions, tailOptions } from './flags.ts';
import { helpText } from './help.ts';
import { judgeWord } from './learn/check-messages.ts';
import { type GivenFlags, parseArguments, seeHelp } from './parse-arguments.ts';
import { type Environment, refuseUnknownKeys, settle, settleOne, unknownVariables } from './settings.ts';
import { packageVersion } from './version.ts';
import { workerWord } from './worker-messages.ts';

const allTables = [startOptions, compactOptions, checkOptions, explainOptions, tailOptions];

/** Does what the command line says. Rejects with a `Failure` where that cannot be done. */
export async function runCommand(surroundings: Surroundings): Promise<void> {
  const [first, ...rest] = surroundings.args;
  if (first === undefined || first.startsWith('-'))
    return runNamed('start', surroundings.args, surroundings, printShortHelp);
  if (first === 'help') return answerHelp(rest, surroundings);
  if (first === 'version') return printVersion(surroundings);
  if (first === workerWord && process.connected) return (await import('./worker.ts')).runWorker(surroundings);
  if (first === judgeWord && process.connected) return (await import('./learn/judge-process.ts')).runJudge();
  const name = nameOf(surroundings.args);
  return runNamed(name, surroundings.args.slice(name.split(' ').length), surroundings);
}

/** `stator help`, of a command, or of a topic of the handbook. */
async function answerHelp(words: readonly string[], surroundings: Surroundings): Promise<void> {
  const [word] = words;
  if (word === undefined) return printShortHelp(surroundings);
  if (Object.hasOwn(commands, word)) return printHelp(nameOf(words), surroundings);
  const { handbookTopics, topicNames } = await import('./handbook/handbook-pages.ts');
  const names = topicNames();
  const output = surroundings.output({ json: false, quiet: false });
  if (names.includes(word)) return (await import('./handbook/print-topic.ts')).printTopic(word, output);
  if (word === 'topics') return output.print(topicList(handbookTopics()));
  throw unknownHelp(word, names);
}

/** The command or topic that was most likely meant; else a topic whose name holds the word. */
function unknownHelp(word: string, topics: readonly string[]): UsageError {
  const asked = word.toLowerCase();
  const meant =
    nearest(word, [...Object.keys(commands), ...topics]) ??
    topics.find((topic) => asked.length > 2 && topic.includes(asked)) ??
    topics.find((topic) => topic.split('-').some((part) => nearest(asked, [part]) !== undefined));
  return new UsageError(
    `Unknown command or topic ${JSON.stringify(word)}.${meant === undefined ? '' : ` Did you mean stator help ${meant}?`}`,
    'stator help lists commands and topics; stator help topics tells what each topic is about.',
  );
}

/** The words that name a command: one, or two where the first has verbs, as in `design derive`. */
function nameOf([first, second]: readonly string[]): string {
  const verbs = Object.hasOwn(commands, first!) ? commands[first!]!.verbs : undefined;
  if (verbs === undefined || second === undefined || second.startsWith('-')) return first!;
  return `${first} ${second}`;
}

async function runNamed(
  name: string,
  args: readonly string[],
  surroundings: Surroundings,
  answerHelpFlag: (surroundings: Surroundings) => void = (given) => printHelp(name, given),
): Promise<void> {
  const command = commandNamed(name);
  const operands: string[] = [];
  const flags = parseArguments(
    command.options,
    args,
    name,
    command.operand === undefined ? undefined : operands,
    command.operandsMax,
  );
  if (isSet(flags, 'help') || (command.verbs !== undefined && command.runsAlone !== true))
    return answerHelpFlag(surroundings);
  if (isSet(flags, 'version')) return printVersion(surroundings);

  const { directory } = surroundings;
  const aws = await awsSettings(command, flags, surroundings);
  const { environment } = aws;
  const withoutConfig = { flags, environment, directory, config: undefined, profile: aws.profile };
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
  await run(settings, { output, operand: operands[0], operands, environment, directory });
}

/** The environment as commands that call an endpoint see it: with what the AWS profile adds. */
async function awsSettings(
  { options }: Command,
  flags: GivenFlags,
  { environment }: Surroundings,
): Promise<{ readonly environment: Environment; readonly profile?: Environment }> {
  if (options.endpoint === undefined) return { environment };
  const { readAwsProfile } = await import('./aws-profile.ts');
  return readAwsProfile(environment, flags.get('profile')?.text);
}

function commandNamed(name: string): Command {
  const [first, verb] = name.split(' ');
  if (verb !== undefined) return verbNamed(first!, verb);
  if (Object.hasOwn(commands, name)) return commands[name]!;
  const meant = nearest(name, [...Object.keys(commands), ...otherWords]);
  throw new UsageError(
    `Unknown command ${JSON.stringify(name)}.${meant === undefined ? '' : ` Did you mean stator ${meant}?`}`,
    seeHelp('start'),
  );
}

function verbNamed(first: string, verb: string): Command {
  const verbs = commandNamed(first).verbs ?? {};
  if (Object.hasOwn(verbs, verb)) return verbs[verb]!;
  const meant = nearest(verb, Object.keys(verbs));
  throw new UsageError(
    `${first} has no verb ${JSON.stringify(verb)}.${meant === undefined ? '' : ` Did you mean stator ${first} ${meant}?`}`,
    seeHelp(first),
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
  surroundings.output({ json: false, quiet: false }).print(helpText(help, options));
}

function printVersion(surroundings: Surroundings): void {
  surroundings.output({ json: false, quiet: false }).print(packageVersion());
}
