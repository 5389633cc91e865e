const declared = /^(?:export\s+)?(?<kind>let|const)\s+(?<name>[\w$]+)/gm;
const mutators = 'set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill';

/** The names at the level of a module whose values change while a program runs, as far as the text shows it. */
export function moduleState(text: string): string[] {
  return [...text.matchAll(declared)]
    .map(({ groups }) => groups as { readonly kind: string; readonly name: string })
    .filter(({ kind, name }) => kind === 'let' || isChanged(name.replaceAll('$', '\\$'), text))
    .map(({ name }) => name);
}

/** Whether something is put into a collection, or a member of an object is set. Locals of the same name count too. */
function isChanged(name: string, text: string): boolean {
  const calls = new RegExp(`(?<![\\w$.])${name}\\.(?:${mutators})\\(`);
  const members = new RegExp(
    `(?<![\\w$.])${name}(?:\\.[\\w$]+|\\[[^\\]\\n]*\\])+\\s*(?:[-+*/|&?]{0,2}=(?![=>])|\\+\\+|--)`,
  );
  return calls.test(text) || members.test(text);
}
