import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** One file of the built studio, as it lies on disk and as it is sent to clients that take gzip. */
export interface StudioFile {
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly gzipped: Uint8Array;
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/**
 * The built studio: beside the chunks of the build that this file is in, or in `dist/` when the sources run themselves.
 */
function studioDirectory(): URL | undefined {
  const places = ['../studio/', '../../dist/studio/'].map((path) => new URL(path, import.meta.url));
  return places.find((place) => existsSync(new URL('index.html', place)));
}

/**
 * The files of the studio by name. A file is read when it is first asked for and kept, because there are few of them;
 * the names are listed once, so that no request can name anything else.
 */
export class StudioFiles {
  readonly #directory = studioDirectory();
  readonly #names: ReadonlySet<string>;
  readonly #kept = new Map<string, StudioFile>();

  constructor() {
    const names = this.#directory === undefined ? [] : readdirSync(this.#directory);
    this.#names = new Set(names.filter((name) => types[extensionOf(name)] !== undefined));
  }

  file(name: string): StudioFile | undefined {
    if (this.#directory === undefined || !this.#names.has(name)) return undefined;
    let file = this.#kept.get(name);
    if (file === undefined) {
      const bytes = readFileSync(new URL(name, this.#directory));
      file = { type: types[extensionOf(name)]!, bytes, gzipped: gzipSync(bytes, { level: 9 }) };
      this.#kept.set(name, file);
    }
    return file;
  }
}

function extensionOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
