/**
 * Where values stand in an item: `profile.phones[].number`. A name steps into a map, `[]` to every element of a list or set,
 * `*` to every member of a map, and `{}` at the end means the names of a map's members. A name with other characters stands in
 * quotes, as in JSON: `profile."a.b"`.
 */
export type PathStep =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'each' }
  | { readonly kind: 'any' }
  | { readonly kind: 'names' };

const plainName = /^[^[\]{}"*.]+$/;
const piece = /^(?:("(?:[^"\\]|\\.)*")|(\*)|([^[\]{}"*.]+))((?:\[\])*)(\{\})?(?:\.(?=.)|$)/;

/** The steps of a path; undefined for a text that is none. */
export function readPath(text: string): readonly PathStep[] | undefined {
  const steps: PathStep[] = [];
  for (let rest = text; rest !== ''; ) {
    const [whole, quoted, any, name, lists, names] = piece.exec(rest) ?? [];
    if (whole === undefined || (names !== undefined && whole !== rest)) return undefined;
    if (any !== undefined) {
      // Every attribute of every item has one kind of value nowhere.
      if (steps.length === 0) return undefined;
      steps.push({ kind: 'any' });
    } else {
      const read = quoted === undefined ? name! : unquoted(quoted);
      if (read === undefined) return undefined;
      steps.push({ kind: 'member', name: read });
    }
    for (let i = 0; i < lists!.length; i += 2) steps.push({ kind: 'each' });
    if (names !== undefined) steps.push({ kind: 'names' });
    rest = rest.slice(whole.length);
  }
  return steps.length === 0 ? undefined : steps;
}

/** The text of a path, longer by one step. */
export function pathText(before: string, step: PathStep): string {
  switch (step.kind) {
    case 'each':
      return `${before}[]`;
    case 'names':
      return `${before}{}`;
    case 'any':
      return `${before}.*`;
    case 'member': {
      const name = plainName.test(step.name) ? step.name : JSON.stringify(step.name);
      return before === '' ? name : `${before}.${name}`;
    }
  }
}

function unquoted(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}
