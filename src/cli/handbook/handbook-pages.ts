import { readdirSync, readFileSync } from 'node:fs';

/** The handbook lies beside the package's description, two levels up for the build; the sources lie one folder deeper. */
const folders = ['../../docs/handbook/', '../../../docs/handbook/'].map(
  (path) => new URL(path, import.meta.url),
);

/** A page of the handbook, as `stator help <name>` finds it. */
export interface Topic {
  readonly name: string;
  readonly title: string;
}

/** Every page but the index, by name. */
export function handbookTopics(): Topic[] {
  const { folder, names } = handbookFolder();
  return names.map((name) => ({
    name,
    title: headingOf(readFileSync(new URL(`${name}.md`, folder), 'utf8')),
  }));
}

/** The names of the pages alone, which needs no page to be read. */
export function topicNames(): string[] {
  return handbookFolder().names;
}

export function readTopic(name: string): string {
  return readFileSync(new URL(`${name}.md`, handbookFolder().folder), 'utf8');
}

function handbookFolder(): { readonly folder: URL; readonly names: string[] } {
  for (const folder of folders) {
    const names = namesIn(folder);
    if (names.length > 0) return { folder, names };
  }
  return { folder: folders[0]!, names: [] };
}

function namesIn(folder: URL): string[] {
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md');
    return files.map((file) => file.slice(0, -'.md'.length)).sort();
  } catch {
    return [];
  }
}

function headingOf(page: string): string {
  return /^# (.*)$/m.exec(page)?.[1] ?? '';
}
