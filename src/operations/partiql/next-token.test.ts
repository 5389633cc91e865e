import { describe, expect, it } from 'vitest';
import type { Table } from '../../engine/tables/table-record.ts';
import { newHash16 } from '../../hash16.ts';
import { DynamoError } from '../../model/errors.ts';
import { encodeBase64 } from '../../model/values/base64.ts';
import { concatBytes } from '../../model/values/bytes.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import { nextToken, readNextToken } from './next-token.ts';

const h16 = newHash16();
const table = { record: { storageId: 'here' } } as Table;
const binding = { statement: 'SELECT * FROM tab', parameters: [{ S: 'a' }] };
const startKey = new Map([['pk', { S: 'é' }]]);

/** A token whose checksum fits, whatever it holds. */
function forged(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? encodeUtf8(content) : content;
  const bound = encodeUtf8(JSON.stringify([binding.statement, binding.parameters, 'here']));
  return encodeBase64(concatBytes(h16(concatBytes(bound, bytes)), bytes));
}

const read = (token: string | undefined, of = binding, at = table) => readNextToken(token, of, at, h16);
const problem = (result: unknown) => (result instanceof DynamoError ? result.message : result);

describe('NextToken', () => {
  it('leads to where it was made', () => {
    expect(read(nextToken({ read: 3, startKey }, binding, table, h16))).toEqual({ read: 3, startKey });
    expect(read(nextToken({ read: 1, startKey: undefined }, binding, table, h16))).toEqual({
      read: 1,
      startKey: undefined,
    });
    expect(read(undefined)).toEqual({ read: 0, startKey: undefined });
  });

  it('belongs to its statement, parameters and table', () => {
    const token = nextToken({ read: 0, startKey }, binding, table, h16);
    const mismatch = 'NextToken does not match request';
    expect(problem(read(token, { ...binding, statement: 'SELECT a FROM tab' }))).toBe(mismatch);
    expect(problem(read(token, { ...binding, parameters: [{ S: 'b' }] }))).toBe(mismatch);
    expect(problem(read(token, binding, { record: { storageId: 'there' } } as Table))).toBe(mismatch);
  });

  it('is refused when any of it was changed', () => {
    const token = nextToken({ read: 0, startKey }, binding, table, h16);
    for (let i = 0; i < token.length; i++) {
      const changed = token.slice(0, i) + (token[i] === 'A' ? 'B' : 'A') + token.slice(i + 1);
      expect(read(changed)).toBeInstanceOf(DynamoError);
    }
  });

  it.each([
    '',
    'garbage',
    '====',
    'AAAA',
    '\u0000',
    forged(''),
    forged('{'),
    forged('{}'),
    forged('[0]'),
    forged(Uint8Array.from([0xff, 0xfe])),
    forged('["a",null]'),
    forged('[0,{"pk":{}}]'),
  ])('is refused as %j', (token) => {
    expect(problem(read(token))).toBe('Invalid NextToken');
  });
});
