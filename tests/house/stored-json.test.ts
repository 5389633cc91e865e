import { expect, it } from 'vitest';
import { filesUnder, isOfTests, textOf } from './source-files.ts';

/**
 * What a store has kept may be damaged, or of a later version. `engine/json-record.ts` checks it; a cast believes it.
 * These files cast JSON that no store has kept.
 */
const exceptions: Readonly<Record<string, string>> = {
  'src/engine/check/shown.ts': 'reads what it has just written',
  'src/engine/transfers/export-steps.ts': 'reads the JSON that was made of an item',
};

const parsed = /\b(?:JSON\.parse|parseJson)\((?!JSON\.stringify\()/g;

/** The statements that give a type to what they parse, by `as` or by the type of a variable. */
function castsOf(source: string): string[] {
  const code = source.replaceAll(/\/\*.*?\*\/|(?<!:)\/\/[^\n]*/gs, '');
  return [...code.matchAll(parsed)].flatMap(({ index }) => {
    const start = Math.max(code.lastIndexOf(';', index), code.lastIndexOf('{\n', index)) + 1;
    const statement = code.slice(start, code.indexOf(';', index));
    const typed =
      /\bas(?!\s+unknown\b|\s+const\b)\s|^\s*(?:const|let)\s+(?:\w+|\{[^}]*\})\s*:(?!\s*unknown\b)/;
    return typed.test(statement) ? [statement.trim()] : [];
  });
}

it('checks every record that a store has kept', () => {
  const sources = ['engine', 'observe', 'storage', 'physics'].flatMap((folder) =>
    filesUnder(`src/${folder}`),
  );
  const found = sources.filter((path) => !isOfTests(path) && castsOf(textOf(path)).length > 0);
  expect(found.sort()).toEqual(Object.keys(exceptions).sort());
});

it.each([
  'const job = JSON.parse(decodeUtf8(bytes)) as Job;',
  'return entries.map(({ value }) =>\n  parseJson(decodeUtf8(value)) as StoredName);',
  'const { points } = JSON.parse(text) as { points: string[] };',
  'const note: Note = JSON.parse(text);',
  'return found === undefined ? [] : (JSON.parse(found) as Owner[]);',
])('finds the cast of %s', (statement) => {
  expect(castsOf(`function read() {\n  ${statement}\n}`)).toHaveLength(1);
});

it.each([
  'const value: unknown = JSON.parse(text);',
  'const parts = JSON.parse(text) as unknown;',
  'const shape: Shape = JSON.parse(JSON.stringify(sent));',
  '// const job = JSON.parse(bytes) as Job;',
  'parsed = parseJson(decodeUtf8(stored));',
])('lets %s pass', (statement) => {
  expect(castsOf(`function read() {\n  ${statement}\n}`)).toEqual([]);
});
