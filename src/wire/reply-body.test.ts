import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { propertyRuns } from '../../tests/property-runs.ts';
import { AnswerBuffer } from './answer-buffer.ts';
import { bodyBytes } from './reply-body.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', ',', 'é', '💡', 'x'.repeat(100), 'é'.repeat(40)),
);
const piece = fc.oneof(
  text,
  text.map((each) => new TextEncoder().encode(each)),
);

it('a body of pieces is what they are one after the other', () => {
  const answers = new AnswerBuffer();
  assertProperty(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const whole = Buffer.concat(pieces.map((each) => Buffer.from(each as string)));
      expect(Buffer.from(bodyBytes(pieces)).equals(whole)).toBe(true);
      const joined = answers.join(pieces);
      expect(Buffer.from(joined).equals(whole)).toBe(true);
      expect(answers.holds(joined)).toBe(true);
      expect(Buffer.from(answers.withHead('héad', joined)).toString('latin1')).toBe(
        `héad${whole.toString('latin1')}`,
      );
    }),
    { numRuns: propertyRuns(300) },
  );
});

it('a body that is too long for the memory of all gets its own', () => {
  const answers = new AnswerBuffer();
  const joined = answers.join(['[', Buffer.alloc(200_000, 'x'), ']']);
  answers.join(['some', 'thing']);
  expect(answers.holds(joined)).toBe(false);
  expect(Buffer.from(joined).toString()).toBe(`[${'x'.repeat(200_000)}]`);
});
