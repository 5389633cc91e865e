import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../../tests/assert-property.ts';
import { propertyRuns } from '../../../tests/property-runs.ts';
import { encodeItem } from '../stored/stored-item.ts';
import { item, text } from '../values/any-item.fixture.ts';
import { encodeUtf8 } from '../values/utf8.ts';
import { CanonicalCursor } from './canonical-cursor.ts';

/**
 * Strings around the length at which the cursor switches to the native search, with quotes and escapes on both sides
 * of it.
 */
const long = fc
  .tuple(fc.nat(40), fc.constantFrom('', '"', '\\', '\\"', '\n', 'é', '🙂'), fc.nat(40))
  .map(([before, odd, after]) => 'x'.repeat(before) + odd + 'y'.repeat(after));
const texts = fc.array(fc.oneof(text, long), { minLength: 1, maxLength: 8 });
/** The cursor's action for each string. */
const steps = fc.infiniteStream(fc.constantFrom('read', 'pass', 'peek'));

describe('a cursor', () => {
  it('reads, peeks at and passes strings as JSON.parse does, in any order', () => {
    assertProperty(
      fc.property(texts, steps, (strings, each) => {
        const bytes = encodeUtf8(`[${strings.map((one) => JSON.stringify(one)).join(',')}]`);
        const cursor = new CanonicalCursor(bytes, 1);
        for (const one of strings) {
          const step = each.next().value;
          if (step === 'peek') expect(cursor.peekString()).toBe(one);
          if (step === 'read') expect(cursor.string()).toBe(one);
          else if (!cursor.passString()) expect(JSON.stringify(one)).not.toContain('\\');
          cursor.at++;
        }
        expect(cursor.at).toBe(bytes.length);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  it('passes each value to the very byte behind it', () => {
    assertProperty(
      fc.property(item, (one) => {
        const header = {
          encrypted: false,
          tombstone: false,
          itemBytes: 0,
          era: 0,
          writtenMicros: 0,
          region: 0,
          version: 1,
        };
        const value = encodeItem(new Map([['v', { M: one }]]), header).subarray(24 + '{"v":'.length, -1);
        const cursor = new CanonicalCursor(value, 0);
        cursor.passValue();
        expect(cursor.at).toBe(value.length);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it.each(['', 'x', '"', '"abc', `"${'x'.repeat(100)}`, '"\\"', `"${'x'.repeat(100)}\\"`, '"é'])(
    'throws at what is no string: %s',
    (json) => {
      const damaged = () => new CanonicalCursor(encodeUtf8(json), 0);
      expect(() => damaged().string()).toThrow('not canonical JSON');
      expect(() => damaged().passString()).toThrow('not canonical JSON');
    },
  );
});
