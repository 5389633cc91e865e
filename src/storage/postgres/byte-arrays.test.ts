import { expect, test } from 'vitest';
import { byteaArray } from './byte-arrays.ts';

test('an array has the bytes that PostgreSQL reads as bytea[]', () => {
  expect(byteaArray([]).toString('hex')).toBe('000000000000000000000011');
  expect(byteaArray([Uint8Array.of(1, 255), null, Uint8Array.of()]).toString('hex')).toBe(
    [
      '00000001', // one dimension
      '00000001', // with nulls
      '00000011', // of bytea
      '00000003', // three elements
      '00000001', // counted from 1
      '0000000201ff',
      'ffffffff',
      '00000000',
    ].join(''),
  );
});
