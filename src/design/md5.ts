const turns = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
] as const;

const sines = Int32Array.from({ length: 64 }, (_, at) => Math.floor(Math.abs(Math.sin(at + 1)) * 2 ** 32));

/** The MD5 digest (RFC 1321) of bytes. It spreads keys and protects nothing; this folder loads nothing of Node. */
export function md5(bytes: Uint8Array): Uint8Array {
  const blocks = Math.ceil((bytes.length + 9) / 64);
  const padded = new Uint8Array(blocks * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const words = new DataView(padded.buffer);
  words.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n, true);
  const state = new Int32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]);
  for (let block = 0; block < blocks; block++) {
    let [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!];
    for (let step = 0; step < 64; step++) {
      const round = step >> 4;
      const word = [step, 5 * step + 1, 3 * step + 5, 7 * step][round]! & 15;
      const mixed = [(b & c) | (~b & d), (b & d) | (c & ~d), b ^ c ^ d, c ^ (b | ~d)][round]!;
      const sum = (a + mixed + sines[step]! + words.getInt32(block * 64 + word * 4, true)) | 0;
      const turn = turns[round]![step & 3]!;
      [a, d, c, b] = [d, c, b, (b + ((sum << turn) | (sum >>> (32 - turn)))) | 0];
    }
    for (const [at, value] of [a, b, c, d].entries()) state[at] = state[at]! + value;
  }
  const digest = new DataView(new ArrayBuffer(16));
  for (const [at, value] of state.entries()) digest.setInt32(at * 4, value, true);
  return new Uint8Array(digest.buffer);
}
