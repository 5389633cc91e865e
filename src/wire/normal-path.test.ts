import { property, stringMatching } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { isNormalPath } from './normal-path.ts';

describe('a path in normal form', () => {
  it.each([
    '/',
    '/_stator/health',
    '/_studio/main-a.b.js',
    '/_studio/',
    '/_stator/changes/arn:aws:dynamodb:us-east-1:000000000000:table%2FOrders',
    '/_stator/physics/arn%3Aaws%3Adynamodb%3A%3A%3Atable%2fOrders',
    '/_stator/namespaces/a%20b',
    '/_stator/at/..a',
  ])('%s', (path) => {
    expect(isNormalPath(path)).toBe(true);
  });
});

describe('a path that readers may understand differently', () => {
  it.each([
    '/_stator/..%2f_stator/reset',
    '/_stator/faults/..%2F..%2fx',
    '/_stator/%2e%2e/x',
    '/_stator/%2E/x',
    '/_stator/faults/%2e%2e',
    '/_stator/../x',
    '/_stator/./reset',
    '/_stator/..',
    '/_stator//reset',
    '//_stator/reset',
    '/_stator/a%2f/b',
    '/_stator/a%2f%2fb',
    '/_stator/..%5creset',
    '/_stator/..\\reset',
    '/_stator/%252e%252e/x',
    '/_stator/%252freset',
    '/_stator/a%00',
    '/_stator/%c0%ae%c0%ae/x',
    '/_stator/%2',
  ])('%s', (path) => {
    expect(isNormalPath(path)).toBe(false);
  });

  it('never leaves the folder that it begins with, however often it is decoded', () => {
    const piece = stringMatching(/^(?:\.|\/|\\|%2e|%2F|%5c|%25|2e|2f|a){0,12}$/);
    assertProperty(
      property(piece, (text) => {
        let path = `/_stator/${text}`;
        if (!isNormalPath(path)) return;
        for (let round = 0; round < 3; round++) path = decodeURIComponent(path);
        expect(new URL(`http://x${path}`).pathname.startsWith('/_stator/')).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
