/** Compares bytes as unsigned numbers. A prefix sorts before anything it begins. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = a[i]! - b[i]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Likewise for long arrays, where making two views pays off. */
export function equalLongBytes(a: Uint8Array, b: Uint8Array): boolean {
  const { length } = a;
  if (length !== b.length) return false;
  if (length < 1024) return equalBytes(a, b);
  const [left, right] = [a, b].map((bytes) => new DataView(bytes.buffer, bytes.byteOffset, length));
  let at = 0;
  for (; at + 4 <= length; at += 4) if (left!.getInt32(at) !== right!.getInt32(at)) return false;
  for (; at < length; at++) if (a[at] !== b[at]) return false;
  return true;
}

/** Copies a few bytes, for which a loop is cheaper than `set`. Returns the position behind them. */
export function copyBytes(from: Uint8Array, to: Uint8Array, at: number): number {
  for (let i = 0; i < from.length; i++) to[at + i] = from[i]!;
  return at + from.length;
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * The lowest key above `key`. It turns an exclusive lower bound, or an inclusive upper bound, into a half-open one.
 */
export function keyAfter(key: Uint8Array): Uint8Array {
  const after = new Uint8Array(key.length + 1);
  after.set(key);
  return after;
}

/** The end of the range of keys with a prefix; undefined if that range has no end. */
export function prefixEnd(prefix: Uint8Array): Uint8Array | undefined {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) length--;
  if (length === 0) return undefined;
  // Not `slice`: a store may return Buffers as keys, whose `slice` makes no copy.
  const end = new Uint8Array(length);
  for (let i = 0; i < length; i++) end[i] = prefix[i]!;
  end[length - 1]!++;
  return end;
}

/**
 * Writes a big-endian number. A DataView is slower: creating one moves the bytes of a small array out of V8's heap,
 * which takes longer than everything else done with them.
 */
export function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function readUint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}
