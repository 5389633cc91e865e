import { describe, expect, it } from 'vitest';
import { expressionTemplate, statementTemplate } from './request-template.ts';

describe('a template', () => {
  it('is the same however a client sets blanks', () => {
    expect(expressionTemplate('PK=:pk AND begins_with( SK ,:sk )', {})).toBe('PK = ? AND begins_with(SK, ?)');
    expect(expressionTemplate('#p  =  :pk AND begins_with(SK,:sk)', { '#p': 'PK' })).toBe(
      'PK = ? AND begins_with(SK, ?)',
    );
    expect(expressionTemplate('a<>:a AND b>=:b', {})).toBe('a <> ? AND b >= ?');
    expect(statementTemplate(`SELECT * FROM "a=b , c" WHERE PK='x' AND n<5`)).toBe(
      'SELECT * FROM "a=b , c" WHERE PK = ? AND n < ?',
    );
  });
});
