import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The handbook lies beside the package's description, two levels up for the sources and for the build alike. */
const directory = new URL('../../docs/handbook/', import.meta.url);

const pictureDirectory = new URL('pictures/', directory);

/** The pages of the handbook, as Markdown, and its pictures. Names are listed once: no request can name anything else. */
export class HandbookFiles {
  /** In the order in which the README lists them. */
  readonly names = inReadingOrder(namesIn(directory, '.md'));
  readonly #pictures = namesIn(pictureDirectory, '.svg');

  picture(name: string): string | undefined {
    return this.#pictures.includes(name)
      ? readFileSync(new URL(`${name}.svg`, pictureDirectory), 'utf8')
      : undefined;
  }

  page(name: string): string | undefined {
    return this.names.includes(name) ? readFileSync(new URL(`${name}.md`, directory), 'utf8') : undefined;
  }
}

function namesIn(folder: URL, ending: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /^[\w-]+\.\w+$/.test(name) && name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort();
}

function inReadingOrder(names: readonly string[]): readonly string[] {
  if (!names.includes('README')) return names;
  const contents = readFileSync(new URL('README.md', directory), 'utf8');
  const placeOf = (name: string) => {
    const at = contents.indexOf(`](${name}.md`);
    return name === 'README' ? -1 : at < 0 ? contents.length : at;
  };
  return [...names].sort((a, b) => placeOf(a) - placeOf(b));
}
