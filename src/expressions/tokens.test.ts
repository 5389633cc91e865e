import { describe, expect, it } from 'vitest';
import { tokenize } from './tokens.ts';

const kinds: Readonly<Record<string, string>> = {
  word: 'w',
  'name reference': '#',
  'value reference': ':',
  digits: 'd',
  symbol: 's',
  unknown: '?',
};

/** Tokens with a letter for their kind, without the end that all texts have. */
function tokens(text: string): string {
  return tokenize(text)
    .slice(0, -1)
    .map((token) => `${kinds[token.kind]}${token.text}`)
    .join(' ');
}

describe('tokens', () => {
  it.each([
    ['a', 'wa'],
    ['aB_9', 'waB_9'],
    [' a\t.\r\nb ', 'wa s. wb'],
    ['a[ 12 ].b', 'wa s[ d12 s] s. wb'],
    ['#a', '##a'],
    ['#9_', '##9_'],
    [':_9', '::_9'],
    ['# a', '?# wa'],
    [':', '?:'],
    ['#:a', '?# ::a'],
    ['_abc', '?_ wabc'],
    ['_123', '?_ d123'],
    ['123a', 'd123 wa'],
    ['a-b', 'wa s- wb'],
    ['a=b', 'wa s= wb'],
    ['a<>b', 'wa s<> wb'],
    ['a<=b>=c', 'wa s<= wb s>= wc'],
    ['a< =b', 'wa s< s= wb'],
    ['a==b', 'wa s= s= wb'],
    ['a!=b', 'wa ?! s= wb'],
    ['a=<b', 'wa s= s< wb'],
    ['a<', 'wa s<'],
    ['f(a,:b)', 'wf s( wa s, ::b s)'],
    ['a*b/c', 'wa ?* wb ?/ wc'],
    ['"a"', '?" wa ?"'],
    ['é', '?é'],
    ['a😀b', 'wa ?😀 wb'],
    ['a\ud800b', 'wa ?\ud800 wb'],
    ['a\u00a0b', 'wa ?\u00a0 wb'],
    ['', ''],
  ])('of %j are %s', (text, expected) => {
    expect(tokens(text)).toBe(expected);
  });

  it('cover everything but blanks', () => {
    const text = ' a.#b[0] <> :c !? ';
    const rest = tokenize(text).reduceRight(
      (left, { start, end }) => left.slice(0, start) + left.slice(end),
      text,
    );
    expect(rest.trim()).toBe('');
  });
});
