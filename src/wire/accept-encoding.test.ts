import { describe, expect, it } from 'vitest';
import { chooseCoding } from './accept-encoding.ts';

describe('chooseCoding', () => {
  // The cases that Scylla's test_compressed_response.py holds against the service.
  it.each([
    ['gzip', 'gzip'],
    ['deflate', 'deflate'],
    ['identity', undefined],
    ['', undefined],
    ['br', undefined],
    ['x-gzip', undefined],
    ['gzip, deflate', 'gzip'],
    ['br, identity, deflate, gzip', 'deflate'],
    ['GZIP, identity', 'gzip'],
    ['dog, gzip ,, cat', 'gzip'],
    ['gzip;q=0.8, deflate;q=0.5', 'gzip'],
    ['br, gzip;q=0, deflate; q = 0.5 , identity;q=0', 'deflate'],
    ['*', 'gzip'],
    ['*, deflate;q=0.5', 'gzip'],
    ['*, deflate', 'deflate'],
    ['*, identity', 'gzip'],
    ['*, gzip;q=0.5', 'deflate'],
    ['gzip ;q=0', undefined],
    ['identity;q=0', undefined],
    ['*;q=0', undefined],
    ['*;q=0.5,identity', 'gzip'],
    ['gzip;q=0.5,identity;q=0.8', 'gzip'],
    ['br;q=0.8,identity;q=0.5,*;q=0', undefined],
    ['"gzip"', undefined],
    ['gzip br', undefined],
    ['gzip:q=1', undefined],
    ['deflate;q=0.5, gzip;q=31', 'gzip'],
    ['gzip;q=31,deflate;q=51', 'gzip'],
    ['deflate;q=0.5, gzip;q=0.2', 'deflate'],
    ['deflate;q=0.5, gzip;q=1;q=0.2', 'gzip'],
    ['deflate;q=0.5,gzip;q=0.', 'deflate'],
    ['deflate;q=0.5,gzip;q=0.x', 'gzip'],
    ['deflate;q=-0.5,gzip;q=0.2', 'gzip'],
    ['gzip;nq=1;q=0 ', undefined],
    ['gzip;q= 0;q=1', undefined],
    ['gzip;q =0;q=1', 'gzip'],
    ['gzip; q=0;q=1', undefined],
    ['gzip;q=0, gzip;q=1, gzip;q=0', 'gzip'],
    ['br,identity;q=0.5,gzip;q=0.0001', 'gzip'],
  ])('%j → %s', (header, coding) => {
    expect(chooseCoding(header)).toBe(coding);
  });
});
