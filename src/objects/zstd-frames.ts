import { DamagedData } from '../rows/damaged-data.ts';

/** Bytes of one frame, and whether the frame ends with them. */
export interface FramePiece {
  readonly bytes: Uint8Array;
  readonly isEnd: boolean;
}

/**
 * Cuts a Zstandard stream into its frames (RFC 8878, section 3.1). A file may have many: tools that pack in parallel
 * write one per part, and files may be joined end to end. Node's decompressor reads the first one and drops the others
 * without an error (nodejs/node#64741), so each frame needs a decompressor of its own. Skippable frames are left out.
 *
 *     frame: magic (4) | descriptor (1) | window (0-1), dictionary (0-4), content size (0-8) | blocks | checksum (0 or 4)
 *     block: last (1 bit), type (2 bits), size (21 bits) | data
 *     skippable frame: magic (4) | size (4) | data
 *
 * Pieces end with blocks, of which each unpacks to 128 KB at most: a reader who takes them one by one is never handed more,
 * although a block of four bytes may stand for all of it. Frames that want a window of more than 128 MB are refused, which
 * is what `zstd` itself takes unless told otherwise: the decompressor makes room for a window before it has read anything.
 *
 * The cutter reads these heads only; whether the data is right is the decompressor's affair.
 */
export async function* zstdFrames(packed: AsyncIterable<Uint8Array>): AsyncGenerator<FramePiece, void> {
  const cutter = new FrameCutter();
  for await (const chunk of packed) yield* cutter.cut(chunk);
  if (cutter.isInHead) throw new DamagedData('The object is not valid ZSTD: it ends in the head of a frame');
}

type Part = 'magic' | 'descriptor' | 'fields' | 'block' | 'data' | 'checksum' | 'skip size' | 'skipped';

class FrameCutter {
  #part: Part = 'magic';
  /** The bytes that are missing to the end of the part. */
  #left = 4;
  /** The bytes of a head, lowest first; parts that hold data need none. */
  #head = 0;
  #headBytes = 0;
  readonly #fields: number[] = [];
  #descriptor = 0;
  #hasChecksum = false;
  #isLastBlock = false;

  /** Whether the stream breaks off here without a frame having begun: a decompressor would not notice. */
  get isInHead(): boolean {
    return this.#part === 'magic' ? this.#headBytes > 0 : this.#part.startsWith('skip');
  }

  *cut(chunk: Uint8Array): Generator<FramePiece, void> {
    let from = 0;
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(this.#left, chunk.length - at);
      const wasSkipped = this.#part === 'skip size' || this.#part === 'skipped';
      if (this.#part !== 'data' && this.#part !== 'skipped') this.#read(chunk.subarray(at, at + taken));
      at += taken;
      this.#left -= taken;
      if (wasSkipped) from = at;
      while (this.#left === 0) {
        const part = this.#part;
        this.#enterNext();
        if (part === 'magic' && this.#part === 'descriptor') yield { bytes: magicBytes, isEnd: false };
        if (part === 'magic') from = at;
        if (part === 'data' && this.#part === 'block' && from < at) {
          yield { bytes: chunk.slice(from, at), isEnd: false };
          from = at;
        }
        if (this.#part !== 'magic' || part.startsWith('skip')) continue;
        yield { bytes: chunk.slice(from, at), isEnd: true };
        from = at;
      }
    }
    // A magic number that is cut by the end of a chunk is given out once it is whole.
    if (this.#part !== 'magic' && from < chunk.length) yield { bytes: chunk.slice(from), isEnd: false };
  }

  #read(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#part === 'fields') this.#fields.push(byte);
      if (this.#headBytes < 4) this.#head = (this.#head | (byte << (8 * this.#headBytes))) >>> 0;
      this.#headBytes++;
    }
  }

  /** Goes on to the next part when one is complete. */
  #enterNext(): void {
    const head = this.#head;
    this.#head = 0;
    this.#headBytes = 0;
    if (this.#part === 'magic') this.#enterFrame(head);
    else if (this.#part === 'descriptor') {
      this.#hasChecksum = (head & 4) !== 0;
      this.#descriptor = head;
      this.#fields.length = 0;
      this.#enter('fields', fieldBytes(head));
    } else if (this.#part === 'fields') {
      if (windowBytes(this.#descriptor, this.#fields) > windowBytesMax)
        throw new DamagedData(
          'The object is ZSTD with a window of more than 128 MB, which Stator does not unpack: pack it without --long',
        );
      this.#enter('block', 3);
    } else if (this.#part === 'block') {
      const type = (head >> 1) & 3;
      if (type === 3) throw new DamagedData('The object is not valid ZSTD: a block has an unknown type');
      this.#isLastBlock = (head & 1) === 1;
      // A block of one repeated byte has that byte only.
      this.#enter('data', type === 1 ? 1 : head >>> 3);
    } else if (this.#part === 'data') {
      if (!this.#isLastBlock) this.#enter('block', 3);
      else if (this.#hasChecksum) this.#enter('checksum', 4);
      else this.#enter('magic', 4);
    } else if (this.#part === 'skip size') this.#enter('skipped', head);
    else this.#enter('magic', 4);
  }

  #enterFrame(magic: number): void {
    if (magic === frameMagic) this.#enter('descriptor', 1);
    else if ((magic & 0xfffffff0) >>> 0 === skippableMagic) this.#enter('skip size', 4);
    else throw new DamagedData('The object is not valid ZSTD: no frame begins where one should');
  }

  #enter(part: Part, bytes: number): void {
    this.#part = part;
    this.#left = bytes;
  }
}

/** The bytes of the fields behind the descriptor of a frame. */
function fieldBytes(descriptor: number): number {
  const isSingleSegment = (descriptor & 32) !== 0;
  const contentSize = descriptor >> 6;
  return (
    (isSingleSegment ? 0 : 1) +
    [0, 1, 2, 4][descriptor & 3]! +
    (contentSize === 0 ? (isSingleSegment ? 1 : 0) : 2 ** contentSize)
  );
}

/** How much a decompressor must remember of what it has unpacked (RFC 8878, section 3.1.1.1.2). */
function windowBytes(descriptor: number, fields: readonly number[]): number {
  const isSingleSegment = (descriptor & 32) !== 0;
  if (!isSingleSegment) {
    const base = 2 ** (10 + (fields[0]! >> 3));
    return base + (base / 8) * (fields[0]! & 7);
  }
  // The whole content is the window. Its size stands behind the dictionary; with two bytes it begins at 256.
  const size = fields.slice([0, 1, 2, 4][descriptor & 3]!);
  return size.reduce((sum, byte, at) => sum + byte * 256 ** at, size.length === 2 ? 256 : 0);
}

/** `zstd -d` and Node's decompressor refuse more than this as well. */
const windowBytesMax = 2 ** 27;

const frameMagic = 0xfd2fb528;
const magicBytes = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd);
const skippableMagic = 0x184d2a50;
