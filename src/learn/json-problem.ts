/** Says where a JSON text goes wrong, for people: every version of Node words its errors differently. */
export function jsonProblem(text: string, error: unknown): string {
  if (text.trim() === '') return 'it is empty.';
  const message = error instanceof Error ? error.message : String(error);
  const position = /position (\d+)/.exec(message)?.[1];
  const at = position === undefined ? endOf(text, message) : Number(position);
  const before = text.slice(0, at).split('\n');
  const line = text.split('\n')[before.length - 1]?.trim() ?? '';
  const advice = /,\s*[}\]]/.test(text)
    ? ' JSON allows no comma after the last entry.'
    : /(^|\s)\/\//.test(text)
      ? ' JSON has no comments.'
      : '';
  return `something is wrong near line ${before.length}: ${line}${advice === '' ? '' : `\n${advice.trim()}`}`;
}

/** Node leaves the position out where the text just ends. */
function endOf(text: string, message: string): number {
  return /end of (?:JSON|data)/i.test(message) ? text.trimEnd().length : 0;
}
