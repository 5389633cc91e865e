const noBytes: Uint8Array = new Uint8Array(0);

/**
 * A request body while it arrives. Most bodies come in one piece, which is then used without a copy unless it must be
 * kept. Further pieces are copied into a buffer that doubles: a body may come in chunks of single bytes, and an array
 * of millions of chunks would take a hundred times their size.
 */
export class ReceivedBody {
  #bytes: Uint8Array = noBytes;
  #isOurs = false;
  #length = 0;
  /** The announced length; a buffer never needs more. */
  #expected = Number.POSITIVE_INFINITY;

  expect(length: number): void {
    this.#expected = length;
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): Uint8Array {
    return this.#length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#length);
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) {
      this.#bytes = piece;
    } else {
      if (!this.#isOurs || length > this.#bytes.length) this.#grow(2 * length);
      this.#bytes.set(piece, this.#length);
    }
    this.#length = length;
  }

  /** Copies the bytes, because the caller is about to overwrite the piece. */
  keep(): void {
    if (!this.#isOurs && this.#length > 0) this.#grow(2 * this.#length);
  }

  drop(): void {
    this.#bytes = noBytes;
    this.#isOurs = false;
    this.#length = 0;
  }

  #grow(capacity: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#length, Math.min(capacity, this.#expected)));
    larger.set(this.bytes);
    this.#bytes = larger;
    this.#isOurs = true;
  }
}
