import { crc32 as crcOf, deflateSync, inflateSync } from 'node:zlib';

const coloursMax = 128;

/** The same picture in few colours, and so a third as large: a page is flat, and its letters need few greys. */
export function palettePng(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const palette = paletteOf(counts);
  const nearest = new Map<number, number>(palette.map((colour, i) => [colour, i]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const pixel = pixels[y * width + x]!;
      let at = nearest.get(pixel);
      if (at === undefined) {
        at = nearestOf(palette, pixel);
        nearest.set(pixel, at);
      }
      rows[y * (width + 1) + 1 + x] = at;
    }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', head),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The commonest colour first; then, again and again, the one that the palette so far serves worst. */
function paletteOf(counts: ReadonlyMap<number, number>): number[] {
  const colours = [...counts.keys()];
  const weights = colours.map((colour) => Math.sqrt(counts.get(colour)!));
  const errors = colours.map(() => Number.POSITIVE_INFINITY);
  let next = colours.indexOf([...counts].reduce((a, b) => (b[1] > a[1] ? b : a))[0]);
  const palette: number[] = [];
  while (palette.length < Math.min(coloursMax, colours.length)) {
    const chosen = colours[next]!;
    palette.push(chosen);
    let worst = -1;
    for (const [i, colour] of colours.entries()) {
      errors[i] = Math.min(errors[i]!, distance(colour, chosen));
      const loss = errors[i]! * weights[i]!;
      if (loss > worst) [worst, next] = [loss, i];
    }
  }
  return palette;
}

function nearestOf(palette: readonly number[], pixel: number): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [i, colour] of palette.entries()) {
    const far = distance(colour, pixel);
    if (far < least) [best, least] = [i, far];
  }
  return best;
}

/** Square of the way between two colours. */
function distance(one: number, other: number): number {
  const red = (one >> 16) - (other >> 16);
  const green = ((one >> 8) & 255) - ((other >> 8) & 255);
  const blue = (one & 255) - (other & 255);
  return red * red + green * green + blue * blue;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(8);
  framed.writeUInt32BE(data.length, 0);
  framed.writeUInt32BE(crcOf(body), 4);
  return Buffer.concat([framed.subarray(0, 4), body, framed.subarray(4)]);
}

/** A picture as Chromium writes it: eight bits a channel, with or without alpha, not interlaced. */
function decode(png: Buffer): { width: number; height: number; pixels: Uint32Array } {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const pixels = new Uint32Array(width * height);
  let before = new Uint8Array(stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)]!;
    const row = Uint8Array.from(raw.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1)));
    for (let i = 0; i < stride; i++) {
      const left = i >= channels ? row[i - channels]! : 0;
      const up = before[i]!;
      const corner = i >= channels ? before[i - channels]! : 0;
      row[i]! += [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter]!;
    }
    for (let x = 0; x < width; x++) {
      const at = x * channels;
      pixels[y * width + x] = (row[at]! << 16) | (row[at + 1]! << 8) | row[at + 2]!;
    }
    before = row;
  }
  return { width, height, pixels };
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
