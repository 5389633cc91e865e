import { describe, expect, it } from 'vitest';
import { DynamoError } from '../../model/errors.ts';
import { requestLimits } from '../../model/limits.ts';
import { parseStatement } from './parse-statement.ts';
import { resolveStatement } from './resolve-statement.ts';

const select = 'SELECT * FROM tab WHERE ';

/** As much of a piece as a statement has room for. */
function filled(start: string, piece: string, end = ''): string {
  const room = requestLimits.statementLengthMax - start.length - end.length;
  return start + piece.repeat(Math.floor(room / piece.length)) + end;
}

const statements: Readonly<Record<string, string>> = {
  parentheses: filled(select, '('),
  'closed parentheses': `${select}${'('.repeat(4_000)}a = 1${')'.repeat(4_000)}`,
  negations: filled(select, 'NOT ', 'a = 1'),
  'signs of a path': filled(`${select}a = `, '- ', 'a'),
  lists: filled(`${select}a = `, '['),
  'closed lists': `${select}a = ${'['.repeat(4_000)}1${']'.repeat(4_000)}`,
  structs: filled(`${select}a = `, "{'a':"),
  bags: filled(`${select}a = `, '<<'),
  calls: filled(select, 'size('),
  'comparisons of comparisons': filled(`${select}a `, '= a'),
  'grouped comparisons': `${select}${'('.repeat(2_000)}a = 1${') = true'.repeat(700)}`,
  sums: filled('UPDATE tab SET a = a ', '+ a', ' WHERE pk = 1'),
  'grouped sums': `UPDATE tab SET a = ${'('.repeat(2_000)}a${' + 1)'.repeat(1_000)} WHERE pk = 1`,
  appends: filled('UPDATE tab SET a = ', 'list_append(a, '),
  paths: filled(`${select}a`, '.b', ' = 1'),
  indexes: filled(`${select}a`, '[0]', ' = 1'),
  'nested indexes': filled(`${select}a`, '[a'),
  'unterminated string': filled(`${select}a = '`, "''"),
  'unterminated name': filled('SELECT * FROM "', '""'),
  'unterminated comment': filled(`${select}a = 1 /*`, '*'),
  commas: filled(`${select}a IN [`, ','),
  'half a character': `${select}a = '\ud800'`,
  'a long number': filled(`${select}a = `, '9'),
  points: filled(`${select}a = 1`, '.'),
  'question marks': filled(`${select}a IN [?`, ', ?', ']'),
};

describe('hostile statements', () => {
  it.each(Object.entries(statements))('%s are answered', (_, text) => {
    const parsed = parseStatement(text);
    const resolved = parsed instanceof DynamoError ? parsed : resolveStatement(parsed, []);
    if (resolved instanceof DynamoError) expect(resolved.name).toBe('ValidationException');
    else expect(resolved.kind).toMatch(/^(select|update)$/);
  });

  it.each([
    ['ORs', filled(`${select}a = 1`, ' OR a = 1')],
    ['ANDs', filled(`${select}a = 1`, ' AND a = 1')],
    ['SETs', `UPDATE tab SET ${Array.from({ length: 700 }, (_, i) => `a${i} = 1`).join(', ')} WHERE pk = 1`],
    ['columns', `SELECT ${Array.from({ length: 1_000 }, (_, i) => `a${i}`).join(', ')} FROM tab`],
    ['signs of a number', filled(`${select}a = `, '- ', '1')],
    ['comments', filled(`${select}a `, '/**/', '= 1')],
  ])('as many %s as there is room for are fine', (_, text) => {
    const parsed = parseStatement(text);
    expect(parsed).not.toBeInstanceOf(DynamoError);
    if (!(parsed instanceof DynamoError))
      expect(resolveStatement(parsed, [])).not.toBeInstanceOf(DynamoError);
  });
});
