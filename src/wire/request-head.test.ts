import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { propertyRuns } from '../../tests/property-runs.ts';
import { HeadReader, type RequestHead } from './request-head.ts';

/** Similar lines, some of them wrong. */
const line = fc.constantFrom(
  'Host: a',
  'Host: ab',
  'Host: a ',
  'Host:a',
  'host: a',
  'Hos: a',
  'Host : a',
  'Content-Length: 1',
  'Content-Length: 12',
  'Content-Length: ',
  'Content-Length: 1\u0001',
  'Content-Length: 1\r',
  'Connection: close',
  'Connection: keep-alive',
  'X-Amz-Target: \u00e4\t b',
  'X-Amz-Target: \u00e4',
  ': a',
  'no colon',
);
const requestLine = fc.constantFrom(
  'POST / HTTP/1.1',
  'POST / HTTP/1.10',
  'POST /a HTTP/1.1',
  'POST / HTTP/1.0',
  'GET / HTTP/1.1',
  'POST / HTTP/2',
);
const head = fc
  .tuple(requestLine, fc.array(line, { maxLength: 4 }))
  .map(([first, lines]) => [first, ...lines].join('\r\n'));

function read(reader: HeadReader, text: string): RequestHead | undefined {
  const bytes = Buffer.from(`before${text}\r\n\r\nafter`, 'latin1');
  return reader.read(bytes, 'before'.length, 'before'.length + text.length);
}

function shown(found: RequestHead | undefined): unknown {
  if (found === undefined) return undefined;
  const { method, url, isOld, fields } = found;
  const { raw, host, contentLength, connection, amzTarget, isAmbiguous, size } = fields;
  return { method, url, isOld, raw, host, contentLength, connection, amzTarget, isAmbiguous, size };
}

it('reads a head the same whatever heads it has read before', () => {
  let good = 0;
  assertProperty(
    fc.property(fc.array(head, { minLength: 2, maxLength: 6 }), (heads) => {
      const reader = new HeadReader();
      for (const text of heads) {
        const expected = shown(read(new HeadReader(), text));
        if (expected !== undefined) good++;
        expect(shown(read(reader, text))).toEqual(expected);
      }
    }),
    { numRuns: propertyRuns(5_000) },
  );
  expect(good).toBeGreaterThan(propertyRuns(1_000));
});

it('makes no text again that stood in the same place of the head before', () => {
  const reader = new HeadReader();
  const token = 'x'.repeat(40);
  const text = (n: number) =>
    `POST / HTTP/1.1\r\nHost: a\r\nX-Amz-Security-Token: ${token}\r\nX-Number: ${n}`;
  const first = read(reader, text(1))!.fields;
  const second = read(reader, text(2))!.fields;
  expect(second.raw).toEqual(['Host', 'a', 'X-Amz-Security-Token', token, 'X-Number', '2']);
  expect(second.amzSecurityToken).toBe(first.amzSecurityToken);
  expect(first.raw[5]).toBe('1');
});
