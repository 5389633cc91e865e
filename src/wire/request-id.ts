import type { RandomWords } from '../runtime/randomness.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUV';

/** All pairs of digits, so that ten random bits cost one look-up. */
const pairs: readonly string[] = Array.from(
  { length: 1024 },
  (_, index) => digits.charAt(index >> 5) + digits.charAt(index & 31),
);

/**
 * The end of a request id. DynamoDB's request ids have 52 digits of base 32: 128 random bits, then bits that are the
 * same in every id of public logs (observed: user reports, 2015 to 2025), such as
 * `UG9KFPA1TJOKE98VNIM6DVT70NVV4KQNSO5AEMVJF66Q9ASUAAJG`.
 */
const tail = 'VV4KQNSO5AEMVJF66Q9ASUAAJG';

export function newRequestId(random: RandomWords): string {
  let id = '';
  for (let word = 0; word < 4; word++) {
    const bits = random();
    id += pairs[bits & 1023]! + pairs[(bits >>> 10) & 1023]! + pairs[(bits >>> 20) & 1023]!;
  }
  // The id has 24 digits so far. Of the two digits before the tail, the second always ends in two set bits.
  return id + pairs[(random() & 1023) | 3]! + tail;
}
