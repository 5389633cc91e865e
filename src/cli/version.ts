import { readFileSync } from 'node:fs';

/** The version of this package; its description lies two levels up, for the sources and for the build alike. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
