import { runHere } from '../cli/run-here.ts';

/** What the AWS CLI does with a command of our pages and findings, without starting it: it takes a second for each. */

const services: Readonly<
  Record<string, { readonly target: string; readonly type: string; readonly signed: string }>
> = {
  dynamodb: { target: 'DynamoDB_20120810', type: 'application/x-amz-json-1.0', signed: 'dynamodb' },
  cloudwatch: {
    target: 'GraniteServiceVersion20100801',
    type: 'application/x-amz-json-1.0',
    signed: 'monitoring',
  },
  'application-autoscaling': {
    target: 'AnyScaleFrontendService',
    type: 'application/x-amz-json-1.1',
    signed: 'application-autoscaling',
  },
};

/** Parameters that are lists of words, structures in short form, and numbers. */
const lists = new Set(['Statistics', 'Dimensions', 'AlarmNames']);
const own = new Set(['endpoint-url', 'region', 'query', 'no-paginate']);

export interface CommandResult {
  readonly ok: boolean;
  readonly text: string;
}

/** Runs a command of a page or finding against the server at `url`, wherever the command says it is. */
export async function runCommandLine(
  command: string,
  url: string,
  directory: string,
): Promise<CommandResult> {
  const [program, ...words] = shellWords(command);
  if (program === 'aws') return runAws(words, url);
  if (program !== 'stator') throw new Error(`${command} is no command of these pages`);
  const at = words.indexOf('--endpoint');
  const args = at < 0 ? words : words.toSpliced(at, 2);
  const needsServer = !['capacity', 'design'].includes(args[0]!);
  const { code, out, err } = await runHere(directory, [...args, ...(needsServer ? ['--endpoint', url] : [])]);
  // Findings are an answer.
  return { ok: code === 0 || (args[0] === 'doctor' && err.includes('--fail-on')), text: `${out}${err}` };
}

async function runAws(words: readonly string[], url: string): Promise<CommandResult> {
  const rest = [...words];
  while (rest[0]?.startsWith('--')) rest.splice(0, 2);
  const [service, operation, ...flags] = rest;
  const known = services[service!];
  if (known === undefined || operation === undefined)
    throw new Error(`aws ${words.join(' ')}: which service?`);
  const input = inputOf(flags);
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': known.type,
      'x-amz-date': date,
      'x-amz-target': `${known.target}.${pascal(operation)}`,
      authorization: `AWS4-HMAC-SHA256 Credential=local/${date.slice(0, 8)}/us-east-1/${known.signed}/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
    },
    body: JSON.stringify(input),
  });
  return { ok: answer.status === 200, text: await answer.text() };
}

function inputOf(flags: readonly string[]): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (let i = 0; i < flags.length; ) {
    const name = flags[i++]!.replace(/^--/, '');
    const values: string[] = [];
    while (i < flags.length && !flags[i]!.startsWith('--')) values.push(flags[i++]!);
    if (own.has(name)) continue;
    const member = pascal(name.replace(/^no-/, ''));
    if (lists.has(member)) input[member] = values.map(readValue);
    else if (values.length === 0) input[member] = !name.startsWith('no-');
    else input[member] = /Time$/.test(member) ? Date.parse(values[0]!) / 1_000 : readValue(values[0]!);
  }
  return input;
}

/** JSON, `Name=a,Value=b`, a number or a text. */
function readValue(text: string): unknown {
  if (/^[[{]/.test(text)) return JSON.parse(text);
  if (/^\d+$/.test(text)) return Number(text);
  if (/^\w+=[^ ]/.test(text) && !/[:<>]=|[()]/.test(text) && !text.includes(' '))
    return Object.fromEntries(
      text.split(/,(?=\w+=)/).map((pair) => {
        const [name, ...value] = pair.split('=');
        const joined = value.join('=');
        return [name, /^\d+$/.test(joined) ? Number(joined) : joined === 'true' ? true : joined];
      }),
    );
  return text;
}

function pascal(name: string): string {
  return name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** The words of a command, as a shell would take them apart: quotes and nothing else. */
function shellWords(command: string): string[] {
  return [...command.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|\\'/g, (_, inner: string | undefined) => inner ?? "'"),
  );
}
