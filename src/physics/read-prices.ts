import { awsPrices, type PriceTable } from './prices.ts';

/** A price file that cannot be used, with everything that is wrong with it. */
export class PriceFileError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The price file cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'PriceFileError';
    this.problems = problems;
  }
}

/** Members that hold texts or lists. All others are prices, quantities or objects of them. */
const monthPattern = /^\d{4}-(0[1-9]|1[0-2])$/;
const currencyPattern = /^[A-Z]{3}$/;

/**
 * Reads the contents of a user's own price file: JSON with the members of `PriceTable`. `asOf` must be there; whatever
 * else is left out is taken from the built-in table, so that a file may hold nothing but a negotiated price. An own list
 * of Regions replaces the built-in one.
 */
export function readPrices(text: string, base: PriceTable = awsPrices): PriceTable {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new PriceFileError([`It is no JSON: ${(error as Error).message}`]);
  }
  if (!isObject(value)) throw new PriceFileError(['It must be a JSON object.']);
  const problems: string[] = [];
  if (!('asOf' in value)) problems.push('"asOf" is missing: the month of the prices, for example "2026-10".');
  const merged = mergeMember(base, value, '', problems);
  if (problems.length > 0) throw new PriceFileError(problems);
  const table = merged as unknown as PriceTable;
  if ('unconfirmed' in value) return table;
  // What a user states is confirmed.
  return { ...table, unconfirmed: base.unconfirmed.filter((path) => memberAt(value, path) === undefined) };
}

function mergeMember(
  base: object,
  given: Readonly<Record<string, unknown>>,
  path: string,
  problems: string[],
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(given)) {
    const at = path === '' ? name : `${path}.${name}`;
    if (!Object.hasOwn(base, name)) {
      problems.push(`"${at}" is no member of a price table. Here can be ${Object.keys(base).join(', ')}.`);
      continue;
    }
    const known = (base as Readonly<Record<string, unknown>>)[name];
    if (at === 'regions') merged[name] = readRegions(value, problems);
    else if (at === 'unconfirmed') merged[name] = readTexts(value, at, problems);
    else if (typeof known === 'number') merged[name] = readNumber(value, at, problems);
    else if (typeof known === 'string') merged[name] = readText(value, at, problems);
    else if (isObject(value)) merged[name] = mergeMember(known as object, value, at, problems);
    else problems.push(`"${at}" must be an object, not ${JSON.stringify(value)}.`);
  }
  return merged;
}

function readNumber(value: unknown, at: string, problems: string[]): number {
  const mustBePositive = at === 'gigabyteBytes' || at === 'hoursPerMonth';
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > 1e12)
    problems.push(`"${at}" must be a number of 0 or more, not ${JSON.stringify(value)}.`);
  else if (mustBePositive && value === 0) problems.push(`"${at}" must be more than 0.`);
  return value as number;
}

function readText(value: unknown, at: string, problems: string[]): string {
  const pattern = at === 'asOf' ? monthPattern : currencyPattern;
  const shape = at === 'asOf' ? 'a month such as "2026-10"' : 'a currency such as "USD"';
  if (typeof value !== 'string' || !pattern.test(value))
    problems.push(`"${at}" must be ${shape}, not ${JSON.stringify(value)}.`);
  return value as string;
}

function readTexts(value: unknown, at: string, problems: string[]): readonly string[] {
  if (!Array.isArray(value) || value.some((entry) => typeof entry !== 'string'))
    problems.push(`"${at}" must be a list of texts, not ${JSON.stringify(value)}.`);
  return value as readonly string[];
}

function readRegions(value: unknown, problems: string[]): Readonly<Record<string, number>> {
  if (!isObject(value) || Object.keys(value).length === 0) {
    problems.push(
      '"regions" must be an object with a multiplier for each Region, such as {"eu-west-1": 1.13}.',
    );
    return {};
  }
  for (const [region, multiplier] of Object.entries(value)) {
    if (typeof multiplier !== 'number' || !(multiplier > 0 && multiplier < 1_000))
      problems.push(`"regions.${region}" must be a number above 0, not ${JSON.stringify(multiplier)}.`);
  }
  return Object.assign(Object.create(null), value);
}

function memberAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.'))
    found = isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  return found;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
