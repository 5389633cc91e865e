import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { seededRandom } from '../../tests/seeded-random.ts';
import { shardOf } from './key-text.ts';
import { md5 } from './md5.ts';

it('digests as MD5 does, for every length around a block', () => {
  const random = seededRandom(7);
  for (let length = 0; length < 200; length++) {
    const bytes = Uint8Array.from({ length }, () => random.below(256));
    expect(Buffer.from(md5(bytes)).toString('hex')).toBe(createHash('md5').update(bytes).digest('hex'));
  }
});

it.each([
  [['o-881'], 10],
  [['SHIPMENT-1', 'e-7'], 6],
  [['größe', 'ツ', '😀'], 25],
  [[12, true], 1_000],
])('takes the whole digest of %j for one number, modulo %d', (values, count) => {
  const digest = createHash('md5').update(values.join('#')).digest('hex');
  expect(shardOf(values, count, 'md5')).toBe(Number(BigInt(`0x${digest}`) % BigInt(count)));
});
