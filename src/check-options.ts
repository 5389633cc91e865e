/**
 * Options that a program hands in, which no compiler may have looked at. One that is misspelt would be without effect,
 * and a database that was meant to be on disk in memory.
 */
export function checkOptions(options: unknown, known: readonly string[], of: string): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(
      `${of} takes an object of options, such as { ${known[0]}: … }, and not ${String(options)}`,
    );
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`${of} has no option ${JSON.stringify(unknown)}; there are ${known.join(', ')}`);
}
