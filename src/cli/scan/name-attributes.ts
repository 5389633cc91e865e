import { isReservedWord } from '../../expressions/reserved-words.ts';
import { type Token, tokenize } from '../../expressions/tokens.ts';

export interface NamedTexts {
  readonly filter?: string;
  readonly projection?: string;
  readonly keyCondition?: string;
  readonly names?: Readonly<Record<string, string>>;
}

/** Words with a meaning in conditions. An attribute of such a name needs a name from the caller. */
const keywords = new Set(['AND', 'OR', 'NOT', 'BETWEEN', 'IN']);

/**
 * Puts names in the place of attributes that are reserved words, so that `status = :s` needs no `#s`. Names that the caller
 * gives stay as they are.
 */
export function nameAttributes({ filter, projection, keyCondition, names = {} }: NamedTexts): NamedTexts {
  const added = new Map<string, string>();
  const nameOf = (attribute: string): string => {
    const known = added.get(attribute);
    if (known !== undefined) return known;
    let number = added.size;
    const isTaken = () => `#n${number}` in names || [...added.values()].includes(`#n${number}`);
    while (isTaken()) number++;
    added.set(attribute, `#n${number}`);
    return `#n${number}`;
  };
  const named = {
    ...(filter !== undefined && { filter: renamed(filter, nameOf) }),
    ...(projection !== undefined && { projection: renamed(projection, nameOf) }),
    ...(keyCondition !== undefined && { keyCondition: renamed(keyCondition, nameOf) }),
  };
  const all = { ...names, ...Object.fromEntries([...added].map(([attribute, name]) => [name, attribute])) };
  return { ...named, ...(Object.keys(all).length > 0 && { names: all }) };
}

function renamed(text: string, nameOf: (attribute: string) => string): string {
  const tokens = tokenize(text);
  let answer = '';
  let end = 0;
  for (const [place, token] of tokens.entries()) {
    if (!isReservedAttribute(tokens, place)) continue;
    answer += text.slice(end, token.start) + nameOf(token.text);
    end = token.end;
  }
  return answer + text.slice(end);
}

function isReservedAttribute(tokens: readonly Token[], place: number): boolean {
  const { kind, text } = tokens[place]!;
  if (kind !== 'word' || !isReservedWord(text)) return false;
  if (tokens[place - 1]?.text === '.') return true;
  return !keywords.has(text.toUpperCase()) && tokens[place + 1]!.text !== '(';
}
