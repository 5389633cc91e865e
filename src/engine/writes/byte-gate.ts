/** Lets work begin in order, as long as what is under way has no more bytes than fit, or nothing else is under way. */
export class ByteGate {
  readonly #bytesMax: number;
  readonly #waiting: { readonly bytes: number; readonly begin: () => void }[] = [];
  #bytes = 0;
  #count = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Whether work of so many bytes may begin now. */
  fits(bytes: number): boolean {
    return this.#waiting.length === 0 && this.#hasRoom(bytes);
  }

  /** Runs work of so many bytes. */
  async pass<R>(bytes: number, work: () => Promise<R>): Promise<R> {
    if (!this.fits(bytes)) await new Promise<void>((begin) => this.#waiting.push({ bytes, begin }));
    else this.#enter(bytes);
    try {
      return await work();
    } finally {
      this.#bytes -= bytes;
      this.#count--;
      for (
        let next = this.#waiting[0];
        next !== undefined && this.#hasRoom(next.bytes);
        next = this.#waiting[0]
      ) {
        this.#waiting.shift();
        this.#enter(next.bytes);
        next.begin();
      }
    }
  }

  #hasRoom(bytes: number): boolean {
    return this.#count === 0 || this.#bytes + bytes <= this.#bytesMax;
  }

  #enter(bytes: number): void {
    this.#bytes += bytes;
    this.#count++;
  }
}
