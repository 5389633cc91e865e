import { textContains } from '../../model/values/find-part.ts';
import type { ListedMetric } from '../metrics.ts';
import { MathError } from './math-syntax.ts';

/** Which metrics a SEARCH finds, and how many words it compares with each of them. */
export interface Search {
  readonly matches: Matches;
  readonly words: number;
}

type Matches = (metric: ListedMetric) => boolean;

const wordsMax = 100;
const term = /\s*(?:([()])|([\w.:/-]+)\s*=\s*(?:"([^"]*)"|([^\s()"]+))|"([^"]*)"|([^\s()"]+))/y;

/**
 * Reads the text of SEARCH: `{Namespace,Dimension,…} words and Name=value`. Words next to each other must all match; AND,
 * OR and NOT may stand between them. A quoted word matches a whole name or value, another one a token of it.
 */
export function readSearch(text: string): Search | MathError {
  const schema = /^\s*\{([^}]*)\}/.exec(text);
  const rest = schema === null ? text : text.slice(schema[0].length);
  const bySchema = schema === null ? () => true : schemaMatch(schema[1]!);
  const words = wordsOf(rest);
  if (words instanceof MathError) return words;
  const parser = new SearchParser(words);
  const byWords = words.length === 0 ? () => true : parser.any();
  if (byWords === undefined || !parser.isAtEnd)
    return new MathError('SEARCH has parentheses or operators without their words');
  return { matches: (metric) => bySchema(metric) && byWords(metric), words: words.length };
}

function schemaMatch(text: string): Matches {
  const [namespace, ...names] = text.split(',').map((part) => part.trim().replace(/^"(.*)"$/, '$1'));
  const wanted = names.filter((name) => name !== '').sort();
  return (metric) =>
    metric.namespace === namespace &&
    metric.dimensions.length === wanted.length &&
    metric.dimensions.every(({ name }) => wanted.includes(name));
}

type Word = { readonly operator: string } | { readonly matches: Matches };

function wordsOf(text: string): readonly Word[] | MathError {
  const words: Word[] = [];
  const trimmed = text.trimEnd();
  term.lastIndex = 0;
  while (term.lastIndex < trimmed.length) {
    const match = term.exec(trimmed);
    if (match === null || words.length >= wordsMax) return new MathError('SEARCH cannot be read');
    const [, parenthesis, property, exact, part, quoted, word] = match;
    if (parenthesis !== undefined) words.push({ operator: parenthesis });
    else if (property !== undefined) words.push({ matches: propertyMatch(property, exact, part) });
    else if (quoted !== undefined) words.push({ matches: anyMatch((given) => given === quoted) });
    else if (['AND', 'OR', 'NOT'].includes(word!)) words.push({ operator: word! });
    else words.push({ matches: anyMatch(tokenMatch(word!)) });
  }
  return words;
}

function propertyMatch(property: string, exact: string | undefined, part: string | undefined): Matches {
  const test = exact === undefined ? tokenMatch(part!) : (given: string) => given === exact;
  const name = property.replace(/^:dim\./i, '');
  return (metric) => {
    if (/^:?namespace$/i.test(name)) return test(metric.namespace);
    if (/^:?metricname$/i.test(name)) return test(metric.name);
    return metric.dimensions.some((dimension) => dimension.name === name && test(dimension.value));
  };
}

function anyMatch(test: (text: string) => boolean): Matches {
  return (metric) =>
    test(metric.namespace) ||
    test(metric.name) ||
    metric.dimensions.some(({ name, value }) => test(name) || test(value));
}

/** A word matches a run of tokens: `Capacity` is one of `ConsumedReadCapacityUnits`, and case does not matter. */
function tokenMatch(word: string): (text: string) => boolean {
  const lower = word.toLowerCase();
  const wanted = tokensOf(word);
  return (text) => text.toLowerCase() === lower || textContains(tokensOf(text), wanted);
}

/** The tokens of a text in one text, with a character between them that no name has. */
function tokensOf(text: string): string {
  const tokens = text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [text];
  return `\n${tokens.join('\n').toLowerCase()}\n`;
}

class SearchParser {
  readonly #words: readonly Word[];
  #at = 0;

  constructor(words: readonly Word[]) {
    this.#words = words;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#words.length;
  }

  any(): Matches | undefined {
    const all: Matches[] = [];
    do {
      const one = this.#every();
      if (one === undefined) return undefined;
      all.push(one);
    } while (this.#takes('OR'));
    return (metric) => all.some((one) => one(metric));
  }

  #every(): Matches | undefined {
    const all: Matches[] = [];
    for (;;) {
      const isNot = this.#takes('NOT');
      const one = this.#one();
      if (one === undefined) return undefined;
      all.push(isNot ? (metric) => !one(metric) : one);
      this.#takes('AND');
      const next = this.#words[this.#at];
      if (next === undefined || ('operator' in next && (next.operator === ')' || next.operator === 'OR')))
        return (metric) => all.every((each) => each(metric));
    }
  }

  #one(): Matches | undefined {
    const word = this.#words[this.#at];
    if (word === undefined) return undefined;
    if ('matches' in word) {
      this.#at++;
      return word.matches;
    }
    if (!this.#takes('(')) return undefined;
    const inner = this.any();
    return inner !== undefined && this.#takes(')') ? inner : undefined;
  }

  #takes(operator: string): boolean {
    const word = this.#words[this.#at];
    if (word === undefined || !('operator' in word) || word.operator !== operator) return false;
    this.#at++;
    return true;
  }
}
