import { dirname, join } from 'node:path/posix';

export interface SourceText {
  readonly path: string;
  readonly text: string;
}

interface Reading {
  readonly text: string;
  readonly exported: readonly string[];
  readonly types: ReadonlySet<string>;
  /** `path name` of what the file takes from others; the name is `*` for all that a file exports. */
  readonly taken: readonly string[];
}

/** The exports that no other file takes, as `path name`. The exports of `surfaces` are for users. */
export function deadExports(files: readonly SourceText[], surfaces: ReadonlySet<string>): string[] {
  const readings = new Map(files.map((file) => [file.path, readExports(file)]));
  const taken = new Set([...readings.values()].flatMap((one) => one.taken));
  return [...readings].flatMap(([path, { exported, types, text }]) => {
    if (surfaces.has(path) || taken.has(`${path} *`)) return [];
    return exported
      .filter((name) => !taken.has(`${path} ${name}`))
      .filter((name) => !(types.has(name) && isMentioned(name, text)))
      .map((name) => `${path} ${name}`);
  });
}

/** A type that its own file mentions is a part of what that file exports: it names a parameter or a result. */
function isMentioned(name: string, text: string): boolean {
  return (
    (text.match(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`, 'g')) ?? []).length > 1
  );
}

const declared =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?<kind>function\s*\*?|class|const|let|interface|type|enum|namespace)\s+(?<name>[\w$]+)/gm;
const named = /^export\s+(?:type\s+)?\{(?<names>[^}]*)\}(?:\s*from\s*'(?<from>[^'\n]+)')?/gm;
const all = /^export\s+(?:type\s+)?\*\s*(?:as\s+[\w$]+\s*)?from\s*'(?<from>[^'\n]+)'/gm;
const imported = /^\s*import\s+(?:type\s+)?(?<clause>[\w$*{},\s]+?)\s*from\s*'(?<from>[^'\n]+)'/gm;
/** A dynamic import, or a type by `import('./a.ts').A`: of these the whole file counts as taken. */
const whole = /(?<![\w$.])(?:import|require|new\s+URL)\s*\(\s*['"](?<from>[^'"\n]+)['"]/g;

function readExports({ path, text }: SourceText): Reading {
  const exported: string[] = [];
  const types = new Set<string>();
  const taken: string[] = [];
  const take = (from: string, name: string) => {
    if (from.startsWith('.')) taken.push(`${join(dirname(path), from)} ${name}`);
  };
  for (const { groups } of text.matchAll(declared)) {
    const { kind, name } = groups!;
    if (kind === 'interface' || kind === 'type') types.add(name!);
    exported.push(name!);
  }
  if (/^export\s+default\b/m.test(text)) exported.push('default');
  for (const { groups } of text.matchAll(named))
    for (const [own, shown] of namesIn(groups!.names!)) {
      exported.push(shown);
      if (groups!.from !== undefined) take(groups!.from, own);
    }
  for (const { groups } of text.matchAll(all)) take(groups!.from!, '*');
  for (const { groups } of text.matchAll(imported)) {
    const { clause, from } = groups!;
    const list = /\{([^}]*)\}/.exec(clause!)?.[1];
    if (list !== undefined) for (const [own] of namesIn(list)) take(from!, own);
    if (clause!.includes('*')) take(from!, '*');
    if (/^[\w$]+/.test(clause!)) take(from!, 'default');
  }
  for (const { groups } of text.matchAll(whole)) take(groups!.from!, '*');
  return { text, exported, types, taken };
}

/** The names of a list of imports or exports: as the file declares them, and as they are shown. */
function namesIn(list: string): (readonly [own: string, shown: string])[] {
  return list
    .split(',')
    .map((one) => one.trim().replace(/^type\s+/, ''))
    .filter((one) => one !== '')
    .map((one) => {
      const [own, shown = own] = one.split(/\s+as\s+/);
      return [own!, shown!] as const;
    });
}
