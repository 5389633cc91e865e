import { nearest } from './nearest.ts';

/**
 * Checks a value. Returns one sentence that says what the value must be, or undefined. The sentence begins with
 * `name`.
 */
export type Check = (value: unknown, name: string) => string | undefined;

/** One check per option. An option without a check does not compile. */
export type OptionChecks<Options> = { readonly [Name in keyof Required<Options>]: Check };

/**
 * Checks the options that a program passes to `of`; the program may not be type-checked. A misspelt option would have
 * no effect, and a database meant for disk would be in memory. Throws a TypeError of one sentence.
 */
export function checkOptions<Options>(options: Options, checks: OptionChecks<Options>, of: string): void {
  const problem = optionsProblem(options, checks, of);
  if (problem !== undefined) throw new TypeError(problem);
}

/**
 * Returns the sentence instead of throwing it; undefined if the options are fine. An undefined option counts as left
 * out.
 */
export function optionsProblem<Options>(
  options: Options,
  checks: OptionChecks<Options>,
  of: string,
): string | undefined {
  const known = Object.keys(checks);
  if (!isPlainObject(options))
    return `${of} takes an object of options, such as { ${known[0]}: … }, and not ${shown(options)}`;
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(checks, name)) return `${of} has no option ${unknownName(name, known)}`;
    const problem = value === undefined ? undefined : checks[name as keyof Options](value, `${of}: ${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The unknown name with advice: `"stor": did you mean "store"?`, or all known names if none is near. */
function unknownName(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  const advice =
    meant === undefined ? `it takes ${known.join(', ')}` : `did you mean ${JSON.stringify(meant)}?`;
  return `${JSON.stringify(name)}: ${advice}`;
}

/** Formats a value for a message. The text is short and omits the content of objects, which may hold secrets. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`;
  if (Array.isArray(value)) return 'an array';
  if (typeof value !== 'object' || value === null) return String(value);
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  if (typeof name !== 'string' || name === 'Object' || name === '') return 'an object';
  return `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}`;
}

/** Tells whether a value is an object of options, not an array, a promise or the like passed by mistake. */
function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('then' in value);
}

export function mustBe(what: string, isRight: (value: unknown) => boolean): Check {
  return (value, name) => (isRight(value) ? undefined : `${name} must be ${what}, and not ${shown(value)}`);
}

export const mustBeFunction = mustBe('a function', (value) => typeof value === 'function');

export const mustBeBoolean = mustBe('true or false', (value) => typeof value === 'boolean');

export const mustBeText = mustBe('a text', (value) => typeof value === 'string' && value !== '');

export const mustBeRegion = mustBe(
  'the name of a Region such as "eu-west-1"',
  (value) => typeof value === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(value),
);

export const mustBeAccountId = mustBe(
  'an account id of 12 digits',
  (value) => typeof value === 'string' && /^\d{12}$/.test(value),
);

export const mustBeSignal = mustBe(
  'an AbortSignal',
  (value) => typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value,
);

export function mustBeWholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): Check {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return mustBe(
    `a whole number ${range}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
  );
}

export function mustBeOneOf(words: readonly string[]): Check {
  const list = words.map((word) => JSON.stringify(word)).join(' or ');
  return mustBe(list, (value) => words.includes(value as string));
}

/** Checks an option that is itself an object of options. */
export function mustHave<Options>(checks: OptionChecks<Options>): Check {
  return (value, name) => optionsProblem(value as Options, checks, name);
}
