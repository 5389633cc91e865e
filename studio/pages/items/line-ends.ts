/**
 * What stands for a text after somebody edited it in a text area, whose value has `\n` where the text had `\r\n` or `\r`.
 * Lines before and after the edit keep the ends that they had; new ones end as the first line did.
 */
export function withReturns(typed: string, before: string): string {
  const ends = before.match(/\r\n?|\n/g);
  if (ends === null || ends.every((end) => end === '\n')) return typed;
  const lines = before.split(/\r\n?|\n/);
  const next = typed.split('\n');
  const shorter = Math.min(lines.length, next.length);
  let same = 0;
  while (same < shorter && lines[same] === next[same]) same++;
  let sameAfter = 0;
  while (sameAfter < shorter - same && lines.at(-1 - sameAfter) === next.at(-1 - sameAfter)) sameAfter++;
  const moved = next.length - lines.length;
  const joined = next
    .map((line, i) => {
      if (i === next.length - 1) return line;
      const from = i < same || moved === 0 ? i : i >= next.length - 1 - sameAfter ? i - moved : undefined;
      return line + (from === undefined ? ends[0] : (ends[from] ?? ends[0]));
    })
    .join('');
  // A lone \r before an empty line that ends with \n would become one end.
  return joined.replaceAll(/\r\n?/g, '\n') === typed ? joined : typed;
}
