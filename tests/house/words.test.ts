import { describe, expect, it } from 'vitest';
import { filesUnder, isOfTests, repositoryFiles, textOf } from './source-files.ts';

/**
 * Words that name the place where the code was written rather than the code. They are put together from parts here,
 * so that this file may be searched like every other.
 */
const forbidden: readonly RegExp[] = [
  // Absolute paths of one machine.
  new RegExp(`(?<![\\w.~-])/${'wo'}${'rk'}/`),
  new RegExp(`\\.${'lib'}${'rary'}\\b`),
  // Packages come from the public registry only.
  new RegExp(`//[^/\\s"']*\\b${'regi'}${'stry'}\\.(?!npmjs\\.org\\b)`),
  new RegExp(`\\b${'regi'}${'stry'}\\.(?!npmjs\\.org\\b)[\\w.-]+:\\d`),
];

const shortcuts = new RegExp(`\\.(?:${'on'}ly|${'sk'}ip)\\s*\\(`);
const lockedAddress = new RegExp(`"${'res'}olved": "http`);
/** What makes keyed digests, and what writes the parts of a signature down. */
const digestsWithKey = /create[H]mac|\bhmacSha256\b|subtle\.sign\(/;
const writesSignatures = /AWS4-[H]MAC|aws4_[r]equest/;
const attractsEverything = /^(utils?|helpers?|common)(\.[^/]*)?$/;
const linesMax = 500;

const files = repositoryFiles();
const sources = filesUnder('src');

describe('the words of the repository', () => {
  it('name no place but the repository', () => {
    const found = files.filter((path) => {
      const text = textOf(path);
      return forbidden.some((pattern) => pattern.test(text));
    });
    expect(found).toEqual([]);
  });

  it('recognise what they forbid', () => {
    const places = [`see /${'work'}/main`, `a/.${'library'}/b`, `http://${'registry'}.example.com/x`];
    for (const place of places) expect(forbidden.some((pattern) => pattern.test(place))).toBe(true);
    const fine = [
      'artwork/x',
      `src/${'work'}/x`,
      `https://${'registry'}.npmjs.org/pg`,
      `${'registry'}.get(x)`,
    ];
    for (const place of fine) expect(forbidden.some((pattern) => pattern.test(place))).toBe(false);
  });

  it('lock versions, not addresses', () => {
    expect(lockedAddress.test(textOf('package-lock.json'))).toBe(false);
  });

  it('name no file or folder after nothing in particular', () => {
    const named = (path: string) => path.split('/').some((part) => attractsEverything.test(part));
    expect(sources.filter(named)).toEqual([]);
  });

  it('sign requests in one place, and once more in the test that holds it to the published steps', () => {
    const code = files.filter((path) => /\.[jt]sx?$/.test(path) && path !== 'tests/house/words.test.ts');
    expect(code.filter((path) => digestsWithKey.test(textOf(path)))).toEqual([
      // A keyed digest that signs nothing.
      'src/cli/transfer/row-copier.ts',
      'src/wire/authenticate.test.ts',
      'src/wire/node-digest.ts',
      // Plain code, because a page on plain HTTP has no `crypto.subtle`.
      'studio/data/sha256.ts',
      'studio/data/sign.ts',
      'tests/studio/sign.test.ts',
    ]);
    const product = code.filter((path) => /^(src|studio)\//.test(path) && !isOfTests(path));
    expect(product.filter((path) => writesSignatures.test(textOf(path)))).toEqual([
      'src/kit/signature-v4.ts',
    ]);
  });

  it('recognise what signs', () => {
    const signers = [
      "import { createHmac } from 'node:crypto';",
      "await crypto.subtle.sign('HMAC', key, text);",
      'const key = hmacSha256(secret, date);',
    ];
    expect(signers.filter((code) => !digestsWithKey.test(code))).toEqual([]);
    const written = ["const algorithm = 'AWS4-HMAC-SHA256';", 'const scope = `${date}/aws4_request`;'];
    expect(written.filter((code) => !writesSignatures.test(code))).toEqual([]);
    expect(digestsWithKey.test("createHash('sha256')")).toBe(false);
  });

  it('leave no test out and run none alone', () => {
    const tests = files.filter((path) => /^tests\/.*\.ts$|\.test\.ts$/.test(path));
    expect(tests.filter((path) => shortcuts.test(textOf(path)))).toEqual([]);
  });

  it('fill no source file beyond one idea', () => {
    const long = sources.filter((path) => textOf(path).split('\n').length > linesMax);
    expect(long).toEqual([]);
  });
});
