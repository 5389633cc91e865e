import { expect, it } from 'vitest';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import { decodeRecord } from './table-record.ts';

it('a record of an unreleased version is refused as trouble with the store, with what to do', () => {
  const decoded = () => decodeRecord(encodeUtf8('{"format":1,"storageId":"00"}'));
  expect(decoded).toThrow(expect.objectContaining({ name: 'StoreError', trouble: 'format' }));
  expect(decoded).toThrow('export its tables with that version');
  expect(() => decodeRecord(encodeUtf8('{"format":9}'))).toThrow('a table record of the unknown format 9');
});
