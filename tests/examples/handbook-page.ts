import { Console } from 'node:console';
import { Writable } from 'node:stream';
import type { Stator } from '../../src/index.ts';
import { output } from './page-blocks.ts';

/**
 * A block of a page that runs: ```` ```js run ````, ```` ```sh run ```` or ```` ```py run ````. The `text` or `json` block
 * right behind it is its output. A line of the output that holds only `…` stands for any number of lines. A block marked
 * `run long` takes so long that only `npm run test:long` runs it.
 */
export interface Runnable {
  readonly language: Language;
  readonly isLong: boolean;
  readonly text: string;
  /** The output that the page shows, if it shows one. */
  readonly shown: string | undefined;
}

export type Language = 'js' | 'sh' | 'py';

const fence = /^```(js|sh|py) run( long)?\n([\s\S]*?)^```\n(?:\n*^```(?:text|json)\n([\s\S]*?)^```\n)?/gm;

export function runnablesOf(page: string): Runnable[] {
  return [...page.matchAll(fence)].map(([, language, long, text, shown]) => ({
    language: language as Language,
    isLong: long !== undefined,
    text: text!,
    shown,
  }));
}

/** The page with the given outputs, in the order of its runnable blocks. */
export function withOutputs(page: string, outputs: readonly string[]): string {
  let next = 0;
  type Groups = [language: string, long: string | undefined, text: string, shown: string | undefined];
  return page.replaceAll(fence, (_, ...[language, long = '', text, shown]: Groups) => {
    const printed = outputs[next++]!;
    const keep = shown !== undefined && agrees(printed, shown);
    const kind = isJson(printed) ? 'json' : 'text';
    const block = printed === '' ? '' : `\n\`\`\`${kind}\n${keep ? shown : printed}\`\`\`\n`;
    return `\`\`\`${language} run${long}\n${text}\`\`\`\n${block}`;
  });
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** Compares an output with the one shown, in which `…` alone on a line stands for any lines. */
export function agrees(printed: string, shown: string): boolean {
  const pattern = shown
    .split(/^[ \t]*…\n/m)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('(?:.*\\n)*?');
  return new RegExp(`^${pattern}$`).test(printed);
}

type Load = (name: string) => Promise<unknown>;

/** Runs the JavaScript blocks of a page as one module, and answers what each of them printed. */
export async function runModule(blocks: readonly string[], load: Load): Promise<string[]> {
  const printed = blocks.map(() => '');
  let current = 0;
  const stdout = new Writable({
    decodeStrings: false,
    write(chunk: string, _, done) {
      printed[current] += chunk;
      done();
    },
  });
  const source = blocks.map((text, i) => `__begin(${i});\n${loading(text)}`).join('\n');
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<Stator | undefined>;
  const body = new AsyncFunction(
    '__load',
    '__begin',
    'console',
    `${source}\nreturn typeof db === 'undefined' ? undefined : db;`,
  );
  const begin = (i: number) => {
    current = i;
  };
  try {
    const db = await body(load, begin, new Console({ stdout, colorMode: false }));
    await db?.close();
  } catch (error) {
    throw new Error(`This block failed:\n${blocks[current]}`, { cause: error });
  }
  return printed;
}

/** A function body cannot import, so that it asks for its modules. */
function loading(text: string): string {
  return text.replaceAll(
    /^import \{([^}]+)\} from '([^']+)';$/gm,
    (_, names: string, from: string) =>
      `const {${names.replaceAll(/ as /g, ': ')}} = await __load('${from}');`,
  );
}

/**
 * Runs the shell and Python blocks of a page one after the other, with the variables that the handbook's README asks
 * for. Variables that a block exports hold for the later ones.
 */
export async function runShell(
  blocks: readonly Runnable[],
  { folder, url }: { folder: string; url: string },
): Promise<string[]> {
  let exported = [
    `export PATH="${folder}/node_modules/.bin:$PATH" STATOR_ENDPOINT=${url} COLUMNS=100`,
    `export AWS_ENDPOINT_URL=${url} AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local AWS_DEFAULT_REGION=us-east-1`,
    '',
  ].join('\n');
  const printed: string[] = [];
  for (const block of blocks) {
    const text = block.text.replaceAll('http://127.0.0.1:8000', url);
    const command = block.language === 'py' ? `python3 - <<'PYTHON'\n${text}PYTHON\n` : text;
    printed.push(await output(exported + command, folder));
    exported += text
      .split('\n')
      .filter((line) => line.startsWith('export '))
      .map((line) => `${line}\n`)
      .join('');
  }
  return printed;
}
