import { describe, expect, it } from 'vitest';
import { HeaderFields } from './header-fields.ts';

const known = {
  accept: 'Accept',
  acceptEncoding: 'Accept-Encoding',
  amzDate: 'X-Amz-Date',
  amzSecurityToken: 'X-Amz-Security-Token',
  amzTarget: 'X-Amz-Target',
  authorization: 'Authorization',
  contentEncoding: 'Content-Encoding',
  contentLength: 'Content-Length',
  contentType: 'Content-Type',
  date: 'Date',
  expect: 'Expect',
  host: 'Host',
  origin: 'Origin',
  transferEncoding: 'Transfer-Encoding',
} as const;

describe('HeaderFields', () => {
  it.each(Object.entries(known) as [keyof typeof known, string][])(
    'finds %s in any case, and the first',
    (key, name) => {
      for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
        const fields = new HeaderFields(['X-Other', 'a', spelling, '', name, 'second']);
        expect(fields[key]).toBe('');
        expect(fields.all(name.toLowerCase())).toEqual(['', 'second']);
        expect(fields.first(name.toLowerCase())).toBe('');
      }
      expect(new HeaderFields([])[key]).toBeUndefined();
    },
  );

  it('joins what is said about the connection', () => {
    expect(new HeaderFields(['Connection', 'a', 'X', 'x', 'connection', 'b, c']).connection).toBe('a,b, c');
  });

  it.each(['Content-Length', 'Transfer-Encoding', 'Host'])('is ambiguous where %s is repeated', (name) => {
    expect(new HeaderFields([name, '1', 'X', '2']).isAmbiguous).toBe(false);
    expect(new HeaderFields([name, '1', name.toLowerCase(), '1']).isAmbiguous).toBe(true);
  });

  it('counts the bytes of all fields', () => {
    const lines = 'Host: x\r\nContent-Type: y\r\n';
    expect(HeaderFields.fromRecord({ Host: 'x', 'Content-Type': 'y' }).size).toBe(lines.length);
  });
});
