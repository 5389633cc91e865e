/** A section of the AWS tools' config or credentials file. */
export interface Section {
  readonly values: ReadonlyMap<string, string>;
  /** Settings of a service, indented below its name. */
  readonly nested: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/**
 * Parses the INI form of ~/.aws/config and ~/.aws/credentials as the AWS tools do: unknown lines are passed over, names of
 * settings have no case, a section that comes twice is one, and indented lines belong to the setting above them.
 */
export function parseAwsConfig(text: string): ReadonlyMap<string, Section> {
  const sections = new Map<
    string,
    { values: Map<string, string>; nested: Map<string, Map<string, string>> }
  >();
  let section: { values: Map<string, string>; nested: Map<string, Map<string, string>> } | undefined;
  let parent: string | undefined;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)) {
    if (line.trim() === '' || /^[#;]/.test(line)) continue;
    const heading = /^\[\s*([^\]]*?)\s*\]/.exec(line)?.[1];
    if (heading !== undefined) {
      const name = sectionName(heading);
      section = sections.get(name) ?? { values: new Map(), nested: new Map() };
      sections.set(name, section);
      parent = undefined;
      continue;
    }
    const equals = line.indexOf('=');
    if (section === undefined || equals <= 0) continue;
    const key = line.slice(0, equals).trim().toLowerCase();
    // A comment may follow a value after white space.
    const value = line
      .slice(equals + 1)
      .replace(/\s[#;].*$/, '')
      .trim();
    if (/^\s/.test(line)) {
      if (parent !== undefined) nestedOf(section.nested, parent).set(key, value);
      continue;
    }
    section.values.set(key, value);
    parent = key;
  }
  return sections;
}

/** `profile "two words"` and `profile  dev` are names with one blank and no quotes. */
function sectionName(heading: string): string {
  const [, kind, name] = /^(profile|services|sso-session)\s+(.*)$/.exec(heading) ?? [];
  return kind === undefined ? heading : `${kind} ${name!.replace(/^(["'])(.*)\1$/, '$2')}`;
}

function nestedOf(nested: Map<string, Map<string, string>>, parent: string): Map<string, string> {
  const found = nested.get(parent) ?? new Map<string, string>();
  nested.set(parent, found);
  return found;
}
