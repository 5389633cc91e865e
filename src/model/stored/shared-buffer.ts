/**
 * Room for small arrays. Each is a window into a buffer that it shares with its neighbours: a buffer of its own costs
 * more than a small array is long, in memory and in garbage collection (a full one of 40,000 entries took a third of the
 * time).
 *
 * A buffer stays as long as one array in it, so that what is kept for long and what is not have rooms of their own: items
 * one, keys of index entries another. Of items that are overwritten at random a buffer holds a dead part for a while; that
 * it is small keeps this below what buffers of their own take.
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
