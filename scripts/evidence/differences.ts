const opening = '**Evidence.** ';

/** The page of differences with the current counts in its paragraph about evidence. */
export function withCounts(page: string, sentence: string): string {
  const lines = page.split('\n');
  const at = lines.findIndex((line) => line.startsWith(opening));
  if (at < 0) throw new Error(`docs/differences.md has no line that begins with ${opening}`);
  lines[at] = `${opening}${sentence}`;
  return lines.join('\n');
}
