import { execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { repositoryFiles, root, textOf } from '../house/source-files.ts';

const run = promisify(execFile);

/** The image that a Dockerfile describes, laid out in a folder. */
export interface Image {
  /** The folder that stands for `/` of the last stage. */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  readonly user: string | undefined;
}

interface Stage {
  readonly root: string;
  readonly env: Record<string, string>;
  workdir: string;
  user: string | undefined;
}

/**
 * Follows a Dockerfile instruction by instruction without a container engine: a folder stands for the root of each stage,
 * COPY copies from the build context or from an earlier stage, and RUN runs in the stage's working directory. Absolute
 * paths are put below the stage's folder. An instruction that this reader does not know is an error.
 */
export async function layImage(dockerfile: string, directory: string): Promise<Image> {
  const context = buildContext();
  const stages = new Map<string, Stage>();
  const words = new Map<string, readonly string[]>();
  let stage: Stage | undefined;
  for (const { keyword, text } of instructionsOf(dockerfile)) {
    if (keyword === 'FROM') {
      const name = /\bAS\s+(\S+)/i.exec(text)?.[1] ?? `stage-${stages.size}`;
      stage = { root: join(directory, name), workdir: '/', env: {}, user: undefined };
      mkdirSync(stage.root);
      stages.set(name, stage);
      continue;
    }
    if (stage === undefined) throw new Error(`${keyword} stands before FROM`);
    if (keyword === 'WORKDIR') {
      stage.workdir = text;
      mkdirSync(join(stage.root, text), { recursive: true });
    } else if (keyword === 'ENV') Object.assign(stage.env, variablesOf(text));
    else if (keyword === 'COPY') copy(text, stage, stages, context);
    else if (keyword === 'RUN') await runIn(stage, text);
    else if (keyword === 'USER') stage.user = text;
    else if (keyword === 'HEALTHCHECK') words.set(keyword, listOf(text.replace(/^.*?CMD\s+/s, '')));
    else if (keyword === 'ENTRYPOINT' || keyword === 'CMD') words.set(keyword, listOf(text));
    else if (keyword !== 'VOLUME' && keyword !== 'EXPOSE') throw new Error(`${keyword} is not known here`);
  }
  return {
    ...stage!,
    entrypoint: words.get('ENTRYPOINT') ?? [],
    command: words.get('CMD') ?? [],
    healthCheck: words.get('HEALTHCHECK') ?? [],
  };
}

/** Puts the absolute paths of a command's words below the folder that stands for `/`. */
export function placedWords(words: readonly string[], imageRoot: string): string[] {
  return words.map((word) => (word.startsWith('/') ? join(imageRoot, word) : word));
}

function instructionsOf(dockerfile: string): { readonly keyword: string; readonly text: string }[] {
  const lines = dockerfile
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [, keyword, text] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (keyword === undefined) throw new Error(`no instruction: ${line}`);
    return { keyword, text: text!.trim() };
  });
}

/** The files of the repository that `.dockerignore` lets into the build. */
function buildContext(): string[] {
  const rules = textOf('.dockerignore').split('\n').filter(Boolean);
  if (rules[0] !== '*') throw new Error('.dockerignore does not begin by leaving everything out');
  const kept = rules.slice(1).map((rule) => rule.replace(/^!/, ''));
  return repositoryFiles().filter((path) =>
    kept.some((name) => path === name || path.startsWith(`${name}/`)),
  );
}

function copy(
  text: string,
  stage: Stage,
  stages: ReadonlyMap<string, Stage>,
  context: readonly string[],
): void {
  const [, from, paths] = /^(?:--from=(\S+)\s+)?(.*)$/.exec(text)!;
  const sources = paths!.split(/\s+/);
  const target = join(stage.root, stage.workdir, sources.pop()!);
  const isMany = sources.length > 1;
  for (const source of sources) {
    if (from !== undefined) {
      cpSync(join(stages.get(from)!.root, source), target, { recursive: true });
      continue;
    }
    const files = context.filter((path) => path === source || path.startsWith(`${source}/`));
    if (files.length === 0) throw new Error(`COPY ${source}: the build context has no such file`);
    const isFile = files[0] === source;
    for (const path of files) {
      const name = isFile ? (isMany || target.endsWith('/') ? basename(path) : '') : relative(source, path);
      const to = join(target, name);
      mkdirSync(dirname(to), { recursive: true });
      // A file that git knows may have been deleted a moment ago.
      if (existsSync(join(root, path))) cpSync(join(root, path), to);
    }
  }
}

async function runIn(stage: Stage, text: string): Promise<void> {
  // The one command that names a user of the base image.
  const command = text
    .replace(/\binstall -d -o node -g node -m 0700 (\S+)/, 'mkdir -p $1')
    .replaceAll(/(?<=\s)\/(?=(?:var|opt|build)\/)/g, `${stage.root}/`);
  await run('sh', ['-euc', command], {
    cwd: join(stage.root, stage.workdir),
    env: { ...outerEnvironment(), ...stage.env },
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** What a container's shell would have: the way to programs and, for npm, to its settings. */
export function outerEnvironment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST|NODE_ENV|STATOR)/.test(name));
  return Object.fromEntries(others);
}

function variablesOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]));
}

function listOf(text: string): string[] {
  return JSON.parse(text) as string[];
}

/** Lets every user read a folder's way in, as in an image. */
export function openToAll(directory: string): void {
  chmodSync(directory, statSync(directory).mode | 0o055);
}
