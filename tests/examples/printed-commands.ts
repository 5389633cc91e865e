import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Command } from '../../src/cli/command.ts';
import { commands } from '../../src/cli/commands.ts';
import { root } from './page-blocks.ts';

/** A command of `stator` or `aws` that a page or a help text prints. */
export interface PrintedCommand {
  /** The file, or `stator help …`. */
  readonly where: string;
  readonly text: string;
}

/** Pages whose own tests run their commands. */
const testedElsewhere = [
  'README.md', // pages.test.ts
  'docs/tutorial.md', // tutorial.test.ts
  'docs/runbooks/', // tests/doctor/runbooks.test.ts
];

/** Every printed command that no other test runs, in the order of pages; each text once. */
export function printedCommands(): PrintedCommand[] {
  const all = [...pages().flatMap(commandsOfPage), ...helpExamples()];
  const seen = new Set<string>();
  return all.filter(({ text }) => !seen.has(text) && seen.add(text));
}

function pages(): string[] {
  return allPages().filter((path) => !testedElsewhere.some((own) => path.startsWith(own)));
}

function allPages(): string[] {
  const found = ['README.md'];
  for (const folder of ['docs', 'course', 'examples'])
    for (const one of readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
      if (one.isFile() && one.name.endsWith('.md') && !one.parentPath.includes('generated'))
        found.push(relative(root, join(one.parentPath, one.name)));
  return found.sort();
}

const fence = /^( *)```(\w*)([^\n]*)\n([\s\S]*?)^ *```/gm;

function commandsOfPage(path: string): PrintedCommand[] {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(fence)].flatMap(([, , language, words, body]) => {
    // handbook.test.ts runs blocks that are marked.
    if (!['', 'sh', 'bash', 'console'].includes(language!) || words!.includes('run')) return [];
    return linesOf(body!).map((line) => ({ where: path, text: line }));
  });
}

/** The commands of a block, each in one line, without the prompt and what is said behind it. */
function linesOf(block: string): string[] {
  return block
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.trim().replace(/^\$ /, ''))
    .filter((line) =>
      /^(?:[A-Z_]+=\S+ |[A-Z_]+="[^"]*" |[A-Z_]+='[^']*' )*(?:npx )?(?:stator|aws)(?: |$)/.test(line),
    )
    .map((line) => line.replace(/\s+# .*$/, '').replace(/ &$/, ''));
}

function helpExamples(): PrintedCommand[] {
  const walk = (name: string, { help, verbs = {} }: Command): PrintedCommand[] => [
    ...(help.sections ?? [])
      .filter(({ title }) => title === 'Examples')
      .flatMap(({ lines }) => lines)
      // What a line does stands behind it in a column of its own.
      .map((line) => ({
        where: `stator help ${name}`,
        text: line.replace(/\s+# .*$/, '').split(/ {2,}/)[0]!,
      }))
      .filter(({ text }) => text.startsWith('stator')),
    ...Object.entries(verbs).flatMap(([verb, one]) => walk(`${name} ${verb}`, one)),
  ];
  return Object.entries(commands).flatMap(([name, one]) => walk(name, one));
}

/** The words of a command line as a POSIX shell would split them; redirections and lists are the caller's. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double),
  );
}

/** Commands in the sentences of pages: `stator help method`. They are read, and not run. */
export function mentionedCommands(): PrintedCommand[] {
  const seen = new Set<string>();
  return allPages().flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8').replaceAll(fence, '');
    return [...text.matchAll(/`((?:npx )?stator [^`\n]+)`/g)].flatMap(([, command]) => {
      // Three dots stand for something, and so does a word in angle brackets.
      if (seen.has(command!) || /…|\.\.\./.test(command!)) return [];
      seen.add(command!);
      return [{ where: path, text: command!.replaceAll('\\|', '|') }];
    });
  });
}
