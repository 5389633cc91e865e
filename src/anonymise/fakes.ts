/** What a fake value looks like. */
export const fakeKinds = [
  ...(['name', 'firstName', 'lastName', 'company', 'email', 'phone', 'street', 'city', 'country'] as const),
  ...(['ip', 'url', 'uuid', 'digits', 'text'] as const),
] as const;
export type FakeKind = (typeof fakeKinds)[number];

/** Fakes that do not repeat. All others may make two keys one. */
export const distinctFakes: ReadonlySet<FakeKind> = new Set(['email', 'url', 'uuid']);

/** A stream of numbers that depends on the secret, the kind of value and the value, and on nothing else. */
export interface Draws {
  /** A whole number below `end`. */
  below(end: number): number;
}

/**
 * Makes a value that looks like one of its kind and is drawn from the original: the same original gives the same fake,
 * and two originals get different ones but for a chance that is stated for each kind. Names and places repeat, as real
 * ones do; the kinds of `distinctFakes` carry at least 56 bits of the draw, so that keys made of them stay apart: of ten
 * million, two are equal with a chance of one in a thousand.
 */
export function fake(kind: FakeKind, original: string, draws: Draws): string {
  switch (kind) {
    case 'firstName':
      return pick(firstNames, draws);
    case 'lastName':
      return pick(lastNames, draws);
    case 'name':
      return `${pick(firstNames, draws)} ${pick(lastNames, draws)}`;
    case 'company':
      return `${pick(lastNames, draws)} ${pick(companyWords, draws)}`;
    case 'email':
      return `${pick(firstNames, draws)}.${letters(12, draws)}@example.com`.toLowerCase();
    case 'phone':
      return digitsLike(original, draws);
    case 'street':
      return `${1 + draws.below(199)} ${pick(streetWords, draws)} ${pick(streetKinds, draws)}`;
    case 'city':
      return `${pick(streetWords, draws)}${pick(cityEnds, draws)}`;
    case 'country':
      return pick(countries, draws);
    case 'ip':
      return original.includes(':')
        ? `2001:db8::${hex(4, draws)}:${hex(4, draws)}:${hex(4, draws)}`
        : `10.${draws.below(256)}.${draws.below(256)}.${draws.below(256)}`;
    case 'url':
      return `https://example.com/${letters(12, draws)}`;
    case 'uuid':
      return `${hex(8, draws)}-${hex(4, draws)}-4${hex(3, draws)}-${'89ab'[draws.below(4)]}${hex(3, draws)}-${hex(12, draws)}`;
    case 'digits':
      return digitsLike(original, draws);
    case 'text':
      return textLike(original, draws);
  }
}

/** Keeps signs, separators and the first digit's being zero or not; draws every digit anew, and letters if there are any. */
function digitsLike(original: string, draws: Draws): string {
  let isFirst = true;
  return original.replace(/\p{L}|\p{N}/gu, (digit) => {
    if (!/\d/.test(digit)) return textLike(digit, draws);
    const drawn = isFirst && digit !== '0' ? 1 + draws.below(9) : isFirst ? 0 : draws.below(10);
    isFirst = false;
    return String(drawn);
  });
}

/** Words of the same lengths, with the same capitals and the same marks between them. */
function textLike(original: string, draws: Draws): string {
  return original.replace(/\p{L}|\p{N}/gu, (character) => {
    if (/\p{N}/u.test(character)) return String(draws.below(10));
    const letter = alphabet[draws.below(26)]!;
    return character === character.toUpperCase() && character !== character.toLowerCase()
      ? letter.toUpperCase()
      : letter;
  });
}

function pick(words: readonly string[], draws: Draws): string {
  return words[draws.below(words.length)]!;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz';

function letters(count: number, draws: Draws): string {
  return Array.from({ length: count }, () => alphabet[draws.below(26)]).join('');
}

function hex(count: number, draws: Draws): string {
  return Array.from({ length: count }, () => draws.below(16).toString(16)).join('');
}

const firstNames = [
  ...[
    'Ada',
    'Ben',
    'Carla',
    'Dario',
    'Elif',
    'Femi',
    'Grace',
    'Hugo',
    'Ines',
    'Jonas',
    'Kira',
    'Liam',
    'Mina',
    'Noor',
  ],
  ...['Oskar', 'Priya', 'Quinn', 'Rosa', 'Sami', 'Tara', 'Umar', 'Vera', 'Wanda', 'Xavi', 'Yuki', 'Zoe'],
];
const lastNames = [
  ...[
    'Adler',
    'Baker',
    'Costa',
    'Duarte',
    'Eriksen',
    'Fischer',
    'Garcia',
    'Haddad',
    'Ivanov',
    'Jansen',
    'Kaya',
    'Lopez',
  ],
  ...[
    'Mbeki',
    'Novak',
    'Okafor',
    'Patel',
    'Quist',
    'Rossi',
    'Sato',
    'Torres',
    'Ueda',
    'Varga',
    'Weber',
    'Young',
    'Zhang',
  ],
];
const companyWords = ['Works', 'Logistics', 'Foods', 'Energy', 'Media', 'Systems', 'Trading', 'Health'];
const streetWords = [
  'Oak',
  'Mill',
  'Lake',
  'Hill',
  'Park',
  'River',
  'Station',
  'Garden',
  'North',
  'South',
  'Green',
  'Stone',
];
const streetKinds = ['Street', 'Road', 'Lane', 'Avenue', 'Way'];
const cityEnds = ['ton', 'ford', 'ville', 'burg', 'field', 'mouth'];
const countries = [
  'Brazil',
  'Canada',
  'Denmark',
  'Egypt',
  'France',
  'Ghana',
  'India',
  'Japan',
  'Kenya',
  'Mexico',
  'Norway',
  'Peru',
];
