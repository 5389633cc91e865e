import { dirname, join } from 'node:path/posix';
import { type ParseResult, parseSync } from 'rolldown/utils';

/** The text of a module by its path, without `.ts` or `.d.ts`. */
export type ReadModule = (path: string) => string;

/** A declaration that an entry of the package exports. */
export interface PublicExport {
  /** As users write it. */
  readonly name: string;
  /** The module that declares it. */
  readonly path: string;
  readonly kind: 'class' | 'function' | 'value' | 'type';
  /** The doc comment without stars; empty if there is none. */
  readonly words: string;
  /** The declaration without its comment. Overloads have several. */
  readonly declarations: readonly string[];
}

type Statement = ParseResult['program']['body'][number];
type Declaration = Extract<Statement, { type: 'ExportNamedDeclaration' }>['declaration'];

interface Module {
  readonly path: string;
  readonly code: string;
  readonly parsed: ParseResult;
}

/** All exports of an entry, sorted by name, each found where it is declared. */
export function publicExports(entry: string, read: ReadModule): PublicExport[] {
  const modules = new Map<string, Module>();
  const open = (path: string): Module => {
    let module = modules.get(path);
    if (module === undefined) {
      const code = read(path);
      module = { path, code, parsed: parseSync(`${path}.ts`, code) };
      modules.set(path, module);
    }
    return module;
  };
  const found = new Map<string, PublicExport>();
  const visit = (path: string, wanted: (name: string) => string | undefined): void => {
    const module = open(path);
    for (const statement of module.parsed.program.body) {
      if (statement.type === 'ExportAllDeclaration') {
        const target = targetOf(path, statement.source.value);
        if (target !== undefined) visit(target, wanted);
      } else if (statement.type === 'ExportNamedDeclaration') {
        if (statement.declaration !== null) addDeclared(module, statement, statement.declaration, wanted);
        for (const { local, exported } of statement.specifiers) {
          const name = wanted(nameOf(exported));
          if (name === undefined) continue;
          if (statement.source === null) addLocal(module, nameOf(local), name);
          else {
            const target = targetOf(path, statement.source.value);
            // Types of other packages are documented there.
            if (target !== undefined) visit(target, (inner) => (inner === nameOf(local) ? name : undefined));
          }
        }
      }
    }
  };
  const add = (
    module: Module,
    statement: Statement,
    declaration: NonNullable<Declaration>,
    name: string,
  ): void => {
    const words = wordsBefore(module, statement.start);
    const text = module.code.slice(statement.start, statement.end);
    const one: PublicExport = {
      name,
      path: module.path,
      kind: kindOf(declaration),
      words,
      declarations: [text],
    };
    const before = found.get(name);
    found.set(
      name,
      before === undefined || before.path !== module.path
        ? one
        : { ...before, words: before.words || words, declarations: [...before.declarations, text] },
    );
  };
  const addDeclared = (
    module: Module,
    statement: Statement,
    declaration: NonNullable<Declaration>,
    wanted: (name: string) => string | undefined,
  ): void => {
    for (const declared of namesOf(declaration)) {
      const name = wanted(declared);
      if (name !== undefined) add(module, statement, declaration, name);
    }
  };
  const addLocal = (module: Module, local: string, name: string): void => {
    for (const statement of module.parsed.program.body) {
      if (statement.type === 'ImportDeclaration') {
        const specifier = statement.specifiers.find((one) => one.local.name === local);
        const target = targetOf(module.path, statement.source.value);
        if (specifier?.type === 'ImportSpecifier' && target !== undefined)
          visit(target, (inner) => (inner === nameOf(specifier.imported) ? name : undefined));
      } else if ('id' in statement || statement.type === 'VariableDeclaration') {
        const declaration = statement as NonNullable<Declaration>;
        if (namesOf(declaration).includes(local)) add(module, statement, declaration, name);
      }
    }
  };
  visit(entry, (name) => name);
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function targetOf(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? join(dirname(from), specifier.replace(/\.[jt]s$/, '')) : undefined;
}

function nameOf(name: { type: string; name?: string; value?: string }): string {
  return name.name ?? name.value ?? '';
}

function namesOf(declaration: NonNullable<Declaration>): string[] {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  return 'id' in declaration && declaration.id !== null && 'name' in declaration.id
    ? [declaration.id.name]
    : [];
}

function kindOf(declaration: NonNullable<Declaration>): PublicExport['kind'] {
  if (declaration.type === 'ClassDeclaration') return 'class';
  if (declaration.type === 'VariableDeclaration') return 'value';
  return /Function/.test(declaration.type) ? 'function' : 'type';
}

/** The doc comment that ends right before a position. */
function wordsBefore({ code, parsed }: Module, start: number): string {
  const comment = parsed.comments.findLast(({ end }) => end <= start);
  if (comment === undefined || comment.type !== 'Block' || !comment.value.startsWith('*')) return '';
  if (code.slice(comment.end, start).trim() !== '') return '';
  return comment.value
    .slice(1)
    .replaceAll(/^[ \t]*\* ?/gm, '')
    .trim();
}
