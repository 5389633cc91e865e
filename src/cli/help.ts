import { flagName, type Option, type OptionGroup, type OptionTable, variableName } from './option.ts';

/** What the help of a command says beside its options. */
export interface CommandHelp {
  readonly usage: string;
  readonly about: string;
  /** Headed paragraphs after the options; their lines are shown as they are. */
  readonly sections?: readonly { readonly title: string; readonly lines: readonly string[] }[];
}

const columns = 100;
const indent = 2;
const helpColumn = 34;

export function helpText(help: CommandHelp, table: OptionTable): string {
  const parts = [`Usage: ${help.usage}`, wrap(help.about, 0)];
  for (const [group, options] of grouped(table))
    parts.push([`${group}:`, ...options.map(([key, option]) => optionText(key, option))].join('\n'));
  for (const { title, lines } of help.sections ?? [])
    parts.push([`${title}:`, ...lines.map((line) => (line === '' ? '' : `  ${line}`))].join('\n'));
  return parts.join('\n\n');
}

/** What `--help` says of a command with many options: those that most people need, one line each. */
export function briefOptions(table: OptionTable): string {
  const chosen = Object.entries(table).filter(([, { brief }]) => brief !== undefined);
  return chosen.map(([key, option]) => briefText(key, option)).join('\n');
}

function briefText(key: string, option: Option<unknown>): string {
  const fallback = option.shownDefault === undefined ? '' : ` [${option.shownDefault}]`;
  return `${flagText(key, option).padEnd(helpColumn)}${option.brief}${fallback}`;
}

function flagText(key: string, { takes }: Option<unknown>): string {
  return `${' '.repeat(indent)}--${flagName(key)}${takes === undefined ? '' : ` ${takes}`}`;
}

function grouped(table: OptionTable): Map<OptionGroup, [string, Option<unknown>][]> {
  const groups = new Map<OptionGroup, [string, Option<unknown>][]>();
  for (const entry of Object.entries(table)) {
    const group = groups.get(entry[1].group);
    if (group === undefined) groups.set(entry[1].group, [entry]);
    else group.push(entry);
  }
  return groups;
}

function optionText(key: string, option: Option<unknown>): string {
  const flag = flagText(key, option);
  const text = wrap([option.help, ...notes(key, option)].join(' '), helpColumn);
  // A flag too long for its column has a line of its own.
  return flag.length + 2 > helpColumn ? `${flag}\n${text}` : `${flag}${text.slice(flag.length)}`;
}

function notes(key: string, option: Option<unknown>): string[] {
  const found: string[] = [];
  if (option.shownDefault !== undefined) found.push(`default ${option.shownDefault}`);
  if (option.awsFlag !== undefined) found.push(option.awsFlag);
  if (!option.flagOnly) found.push(variableName(key), ...option.awsVariables);
  if (option.dynamoDbLocal !== undefined) found.push(`-${option.dynamoDbLocal}`);
  return found.length === 0 ? [] : [`[${found.join(', ')}]`];
}

function wrap(text: string, left: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && left + line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  lines.push(line);
  return lines.map((each) => ' '.repeat(left) + each).join('\n');
}
