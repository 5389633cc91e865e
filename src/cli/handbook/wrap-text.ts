// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
const colours = /\u001b\[\d+m/g;

/** How wide a text is once its colours are shown. */
export function visibleLength(text: string): number {
  return text.replace(colours, '').length;
}

/** Breaks a text between words. Every line begins with `margin`, the first one with `first` if it is given. */
export function wrapText(text: string, columns: number, margin = '', first = margin): string {
  const lines: string[] = [];
  let line = '';
  const room = Math.max(20, columns - visibleLength(margin));
  for (const word of text.split(/ +/)) {
    if (line !== '' && visibleLength(line) + 1 + visibleLength(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  return withinLines(lines)
    .map((each, at) => `${at === 0 ? first : margin}${each}`.trimEnd())
    .join('\n');
}

/** Ends a colour with its line and begins it again on the next, so that margins and other cells stay as they are. */
export function withinLines(lines: readonly string[]): string[] {
  let open = '';
  return lines.map((line) => {
    const whole = `${open}${line}`;
    for (const [code] of line.matchAll(colours)) open = code === '\u001b[0m' ? '' : code;
    return open === '' ? whole : `${whole}\u001b[0m`;
  });
}
