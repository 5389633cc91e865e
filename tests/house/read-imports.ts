import { dirname, join } from 'node:path';

/** One import, re-export or dynamic import as it stands in a file. */
export interface Import {
  readonly from: string;
  readonly specifier: string;
  readonly dynamic: boolean;
  /** Every name it brings is a type. */
  readonly typeOnly: boolean;
  /**
   * Nothing of it is left when the program runs. TypeScript erases `import type`; of `import { type A }` it leaves
   * `import {}` behind (`verbatimModuleSyntax`), which still loads the file.
   */
  readonly erased: boolean;
  /** The specifier is not written out; what stands there instead is shown. */
  readonly computed: boolean;
}

/** The file that an import leads to, from the root of the repository; undefined for packages and for Node. */
export function targetOf({ from, specifier }: Import): string | undefined {
  return specifier.startsWith('.') ? join(dirname(from), specifier).replaceAll('\\', '/') : undefined;
}

export function readImports(path: string, source: string): Import[] {
  const code = withoutComments(source);
  const imports: Import[] = [];
  for (const match of code.matchAll(staticImport)) {
    const { type, clause = '', specifier } = match.groups!;
    imports.push({
      from: path,
      specifier: specifier!,
      dynamic: false,
      typeOnly: isTypeOnly(type, clause),
      erased: type !== undefined,
      computed: false,
    });
  }
  // What is not plain text cannot be checked, so it is shown as it stands and stands in no table.
  for (const match of code.matchAll(dynamicImport)) {
    const { specifier, other } = match.groups!;
    const computed = specifier === undefined;
    const found = specifier ?? other?.trim();
    if (found !== undefined)
      imports.push({ from: path, specifier: found, dynamic: true, typeOnly: false, erased: false, computed });
  }
  return imports;
}

/** The identifiers and punctuation of a program, without what its comments and quoted strings say. */
export function withoutWords(source: string): string {
  return withoutComments(source).replace(quoted, "''");
}

function isTypeOnly(type: string | undefined, clause: string): boolean {
  if (type !== undefined) return true;
  const names = /^\s*\{(?<names>[^}]*)\}\s*$/.exec(clause)?.groups?.names;
  if (names === undefined) return false;
  const list = names.split(',').filter((name) => name.trim() !== '');
  return list.length > 0 && list.every((name) => /^\s*type\s/.test(name));
}

const staticImport =
  /(?:^|;)[ \t]*(?:import|export)\s+(?:(?<type>type)\s+(?=[{*\w]))?(?:(?<clause>[\w$*{},\s]+?)\s*from\s*)?(['"])(?<specifier>[^'"\n]+)\3/gm;
/** A string comes first: within one, the words of an import are only words. */
const dynamicImport =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<![\w$.])(?:import|require)\s*\(\s*(?:(['"`])(?<specifier>[^'"`$\n]+)\1|(?<other>[^)]*))/g;

const quoted = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;

/**
 * Comments go; strings and regular expressions are recognised so that what looks like a comment within them stays.
 * A slash begins a regular expression where a value may begin.
 */
const commentOrText =
  /(?<comment>\/\*[\s\S]*?\*\/|\/\/[^\n]*)|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[(,=:[!&|?{};\n]\s*|return\s)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;

function withoutComments(source: string): string {
  return source.replace(commentOrText, (text, comment: string | undefined) =>
    comment === undefined ? text : ' ',
  );
}
