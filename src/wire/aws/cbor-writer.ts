/** Writes CBOR (RFC 8949) in its shortest form, but for fractions, which always take eight bytes. */
export class CborWriter {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A whole number; anything else is written as a fraction. */
  integer(value: number): void {
    if (!Number.isSafeInteger(value) || Object.is(value, -0)) this.float(value);
    else if (value >= 0) this.#head(0, value);
    else this.#head(1, -1 - value);
  }

  float(value: number): void {
    this.#room(9);
    this.#bytes[this.#length] = 0xfb;
    this.#bytes.writeDoubleBE(value, this.#length + 1);
    this.#length += 9;
  }

  /** A time in seconds since 1970. */
  timestamp(seconds: number): void {
    this.#head(6, 1);
    if (Number.isSafeInteger(seconds)) this.integer(seconds);
    else this.float(seconds);
  }

  boolean(value: boolean): void {
    this.#room(1);
    this.#bytes[this.#length++] = value ? 0xf5 : 0xf4;
  }

  text(value: string): void {
    const size = Buffer.byteLength(value);
    this.#head(3, size);
    this.#room(size);
    this.#bytes.write(value, this.#length);
    this.#length += size;
  }

  blob(value: Uint8Array): void {
    this.#head(2, value.length);
    this.#room(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  list(length: number): void {
    this.#head(4, length);
  }

  map(size: number): void {
    this.#head(5, size);
  }

  #head(major: number, value: number): void {
    this.#room(9);
    const first = major << 5;
    if (value < 24) this.#bytes[this.#length++] = first | value;
    else if (value < 0x100) {
      this.#bytes[this.#length++] = first | 24;
      this.#bytes[this.#length++] = value;
    } else if (value < 0x1_0000) {
      this.#bytes[this.#length++] = first | 25;
      this.#length = this.#bytes.writeUInt16BE(value, this.#length);
    } else if (value < 0x1_0000_0000) {
      this.#bytes[this.#length++] = first | 26;
      this.#length = this.#bytes.writeUInt32BE(value, this.#length);
    } else {
      this.#bytes[this.#length++] = first | 27;
      this.#length = this.#bytes.writeBigUInt64BE(BigInt(value), this.#length);
    }
  }

  #room(size: number): void {
    if (this.#length + size <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + size));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
