import { expect, it } from 'vitest';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import { decodeRecord } from './table-record.ts';

it('a record of an unreleased version is refused as trouble with the store, with what to do', () => {
  const decoded = () => decodeRecord(encodeUtf8('{"format":1,"storageId":"00"}'));
  expect(decoded).toThrow(expect.objectContaining({ name: 'StoreError', trouble: 'format' }));
  expect(decoded).toThrow('export its tables with that version');
  const later = () => decodeRecord(encodeUtf8('{"format":9}'));
  expect(later).toThrow(expect.objectContaining({ name: 'StoreError', trouble: 'format' }));
  expect(later).toThrow('a table record of format 9, and this version of Stator reads format 2');
  expect(() => decodeRecord(encodeUtf8('{"a":9}'))).toThrow('a table record without a format');
});
