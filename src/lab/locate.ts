/** Finds the line of a value, or of a name, in the text of a file. */
export type Locate = (path: readonly (string | number)[], isName: boolean) => number | undefined;

/** Lines of values in a JSON text that has been parsed before. */
export function locateInJson(text: string): Locate {
  const lines = new Map<string, { readonly name: number; readonly value: number }>();
  let at = 0;
  let line = 1;
  const skip = () => {
    for (; at < text.length && /\s/.test(text[at]!); at++) if (text[at] === '\n') line++;
  };
  const readString = (): string => {
    const start = at++;
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at++;
    return JSON.parse(text.slice(start, at)) as string;
  };
  const read = (path: string, nameLine: number): void => {
    skip();
    lines.set(path, { name: nameLine, value: line });
    if (text[at] === '"') readString();
    else if (text[at] === '{' || text[at] === '[') readMembers(path, text[at] === '{');
    else while (at < text.length && !/[\s,\]}]/.test(text[at]!)) at++;
  };
  const readMembers = (path: string, isObject: boolean): void => {
    at++;
    for (let number = 0; ; number++) {
      skip();
      if (text[at] === ',') {
        at++;
        skip();
      }
      if (text[at] === '}' || text[at] === ']' || at >= text.length) break;
      const nameLine = line;
      const name = isObject ? readString() : String(number);
      if (isObject) {
        skip();
        at++;
      }
      read(`${path}\n${name}`, nameLine);
    }
    at++;
  };
  read('', 1);
  return (path, isName) => {
    const found = lines.get(path.map((one) => `\n${one}`).join(''));
    return isName ? found?.name : found?.value;
  };
}

/** Lines in the source of a module: where the last name of the path stands, looked for in the order of the path. */
export function locateInSource(text: string): Locate {
  return (path) => {
    let from = 0;
    let found: number | undefined;
    for (const name of path) {
      if (typeof name === 'number') continue;
      const word = new RegExp(`(^|[^\\w$])['"]?${name.replace(/[^\w]/g, '\\$&')}['"]?\\s*:`, 'g');
      word.lastIndex = from;
      const match = word.exec(text);
      if (match === null) continue;
      from = match.index + match[0].length;
      found = text.slice(0, from).split('\n').length;
    }
    return found;
  };
}
