import { describe, expect, it } from 'vitest';
import { publicExports } from '../../scripts/api/public-exports.ts';
import { entries } from '../../scripts/api/reference.ts';
import { commands } from '../../src/cli/commands.ts';
import { exitCodes } from '../../src/cli/failure.ts';
import { wireForms } from '../../src/model/errors.ts';
import { filesUnder, textOf } from './source-files.ts';

/** `docs/errors.md` has every error and exit code that programs and scripts may meet, and no other. */
const page = textOf('docs/errors.md');
const section = (title: string) => page.split(`\n## ${title}\n`)[1]!.split('\n## ')[0]!;
const firstCells = (text: string) => [...text.matchAll(/^\| ([^|]+?) \|/gm)].map(([, cell]) => cell!);
const coded = (text: string) => firstCells(text).filter((cell) => cell.startsWith('`'));
/** The members of a union of texts in a source. */
const unionOf = (path: string, name: string) => {
  const code = textOf(path).replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const union = code.split(`export type ${name} =`)[1]!.split(';')[0]!;
  return [...union.matchAll(/'([\w-]+)'/g)].map(([, member]) => `\`${member}\``);
};

describe('the page of errors', () => {
  it('has every error of DynamoDB with its status', () => {
    const rows = [...section('Errors of DynamoDB').matchAll(/^\| (\w+) \| (\d+) \|$/gm)];
    const forms = Object.entries(wireForms).map(([name, { status }]) => [name, status] as const);
    expect(rows.map(([, name, status]) => [name, Number(status)])).toEqual(
      forms.sort(([a], [b]) => (a < b ? -1 : 1)).map((form) => [...form]),
    );
  });

  it('has every trouble of stores and of migrations', () => {
    expect(coded(section('Trouble with the store')).slice(1)).toEqual(
      unionOf('src/storage/store-error.ts', 'Trouble'),
    );
    const libraries = section('Errors of the libraries').split('`MigrationError.trouble`')[1]!;
    expect(coded(libraries).slice(1)).toEqual(unionOf('src/migrate/migration-error.ts', 'MigrationTrouble'));
  });

  it('has every class of errors that the package exports', () => {
    const exported = entries.flatMap(({ entry, name: module }) =>
      publicExports(entry, (path) => textOf(`src/${path}.ts`))
        .filter(({ kind, name }) => kind === 'class' && name.endsWith('Error'))
        .map(({ name }) => `${name} of ${module}`),
    );
    const rows = [...section('Errors of the libraries').matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)];
    const listed = rows.flatMap(([, name, modules]) =>
      [...modules!.matchAll(/`([\w/]+)`/g)].map(([, module]) => `${name} of ${module}`),
    );
    expect(listed.sort()).toEqual(exported.sort());
  });

  it('has every exit code', () => {
    const own = filesUnder('src/cli')
      .filter((path) => !path.endsWith('.test.ts'))
      .flatMap((path) => [...textOf(path).matchAll(/exitCode = (\d)/g)].map(([, code]) => Number(code)));
    const codes = [...new Set([...Object.values(exitCodes), ...own])].sort();
    const rows = firstCells(section('Exit codes of commands')).filter((cell) => /^\d$/.test(cell));
    expect(rows.map(Number)).toEqual(codes);
  });

  it('names commands that exist', () => {
    const named = [...section('Exit codes of commands').matchAll(/`stator (\w+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => name !== 'help' && !(name in commands))).toEqual([]);
  });
});
