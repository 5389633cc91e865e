/**
 * Allocates small arrays. Each array is a window into a buffer that it shares with its neighbours. A buffer of its
 * own would cost more than a small array is long, in memory and in garbage collection (with 40,000 entries, a full
 * collection took a third of the time).
 *
 * A buffer lives as long as any array in it. So arrays with different lifetimes use different allocators: items one,
 * keys of index entries another. If items are overwritten at random, a buffer holds dead parts for a while. Because
 * it is small, this costs less than a buffer per item.
 */
export class SharedBuffer {
  #buffer = new ArrayBuffer(0);
  #at = 0;

  take(length: number): Uint8Array {
    if (length > sharedLengthMax) return new Uint8Array(length);
    if (this.#at + length > this.#buffer.byteLength) {
      this.#buffer = new ArrayBuffer(bufferLength);
      this.#at = 0;
    }
    const taken = new Uint8Array(this.#buffer, this.#at, length);
    this.#at += length;
    return taken;
  }
}

const bufferLength = 4_096;
const sharedLengthMax = bufferLength / 4;
