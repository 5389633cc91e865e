/** A source of uniformly distributed unsigned 32-bit integers. */
export type RandomSource = () => number;

/**
 * Draws words from a pool that `fill` fills with random bytes, because a call for four bytes costs almost as much as
 * one for thousands. `fill` is crypto's randomFillSync in a server, and a seeded generator in a test.
 */
export function pooledRandom(fill: (bytes: Uint8Array) => unknown): RandomSource {
  const words = new Uint32Array(4096);
  const bytes = new Uint8Array(words.buffer);
  let next = words.length;
  return () => {
    if (next === words.length) {
      fill(bytes);
      next = 0;
    }
    return words[next++]!;
  };
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUV';

/** All pairs of digits, so that ten random bits cost one look-up. */
const pairs: readonly string[] = Array.from(
  { length: 1024 },
  (_, index) => digits.charAt(index >> 5) + digits.charAt(index & 31),
);

/**
 * The end of a request id. DynamoDB's request ids have 52 digits of base 32: 128 random bits, then bits that are the
 * same in every id found in public logs (2015 to 2025), such as
 * `UG9KFPA1TJOKE98VNIM6DVT70NVV4KQNSO5AEMVJF66Q9ASUAAJG`.
 */
const tail = 'VV4KQNSO5AEMVJF66Q9ASUAAJG';

export function newRequestId(random: RandomSource): string {
  let id = '';
  for (let word = 0; word < 4; word++) {
    const bits = random();
    id += pairs[bits & 1023]! + pairs[(bits >>> 10) & 1023]! + pairs[(bits >>> 20) & 1023]!;
  }
  // The id has 24 digits so far. Of the two digits before the tail, the second always ends in two set bits.
  return id + pairs[(random() & 1023) | 3]! + tail;
}
