/** What a learner's function returned, in words: `nothing`, `null`, `a list`, `a promise`, `the text "a"`. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return `the text ${JSON.stringify(value)}`;
  if (isCommand(value))
    return 'a command of the SDK (leave new and its name out: the plain request is wanted)';
  if (typeof value === 'object' && 'then' in value)
    return 'a promise (a function that is async returns one: leave async out)';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Whether a value can be the input of a request. */
export function isRequest(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !('then' in value) &&
    !isCommand(value)
  );
}

/** `new QueryCommand({ … })` keeps its request in `input`. */
function isCommand(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'input' in value && !('TableName' in value);
}
