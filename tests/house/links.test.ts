import { existsSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryFiles, root, textOf } from './source-files.ts';

interface Link {
  readonly from: string;
  readonly text: string;
  /** From the root of the repository, without the part behind the `#`. */
  readonly path: string;
  readonly anchor: string | undefined;
}

const pages = repositoryFiles().filter((path) => path.endsWith('.md') && existsSync(join(root, path)));
const links = pages.flatMap(linksOf);

describe('links of the pages', () => {
  it('are found at all', () => {
    expect(links.length).toBeGreaterThan(50);
  });

  it('lead to files that are there', () => {
    const dead = links.filter(({ path }) => !existsSync(join(root, path)));
    expect(dead.map(shown)).toEqual([]);
  });

  it('lead to headings that are there', () => {
    const dead = links.filter(
      ({ path, anchor }) => anchor !== undefined && pages.includes(path) && !anchorsOf(path).includes(anchor),
    );
    expect(dead.map(shown)).toEqual([]);
  });

  // Readers of the installed package have what it ships, and no address of a repository.
  it('of README and of the pages for users lead to what the package ships', () => {
    const { files } = JSON.parse(textOf('package.json')) as { files: readonly string[] };
    const lost = links.filter(({ from, path }) => isShipped(from, files) && !isShipped(path, files));
    expect(lost.map(shown)).toEqual([]);
    expect(isShipped('README.md', files) && isShipped('docs/README.md', files)).toBe(true);
    expect(isShipped('docs/requirements.md', files) || isShipped('ARCHITECTURE.md', files)).toBe(false);
  });
});

/** Relative links, outside of code. */
function linksOf(from: string): Link[] {
  const prose = textOf(from)
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, 'code');
  return [...prose.matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].map(([, text]) => {
    const [path = '', anchor] = text!.split('#');
    const target = path === '' ? from : posix.join(posix.dirname(from), path);
    return { from, text: text!, path: target.replace(/\/$/, ''), anchor };
  });
}

/** As GitHub makes them: small letters, without punctuation, with dashes for spaces. */
function anchorsOf(path: string): string[] {
  const headings = [
    ...textOf(path)
      .replaceAll(/^```[\s\S]*?^```$/gm, '')
      .matchAll(/^#+ (.*)$/gm),
  ];
  return headings.map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Of the patterns that npm knows, those that `files` uses: a file, a folder, `*` in a name, `!` before an exception. */
function isShipped(path: string, files: readonly string[]): boolean {
  if (/^(?:README\.md|LICENSE|package\.json)$/.test(path)) return true;
  const meets = (pattern: string) =>
    path === pattern ||
    path.startsWith(`${pattern}/`) ||
    (pattern.includes('*') &&
      dirname(path) === dirname(pattern) &&
      new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`).test(path));
  if (files.some((pattern) => pattern.startsWith('!') && meets(pattern.slice(1)))) return false;
  const isFolder = existsSync(join(root, path)) && statSync(join(root, path)).isDirectory();
  return !isFolder && files.some((pattern) => !pattern.startsWith('!') && meets(pattern));
}

function shown({ from, text }: Link): string {
  return `${from}: ${text}`;
}
