import { describe, expect, it } from 'vitest';
import { foundSeeds } from '../found-seeds.ts';
import { seededRandom, testSeed, testSeeds } from '../seeded-random.ts';
import { withoutWords } from './read-imports.ts';
import { isOfTests, repositoryFiles, textOf } from './source-files.ts';

/**
 * `npm test` gives the same answer every time it runs on the same code: every choice of a test follows from a fixed
 * seed. Only `test:explore` draws fresh seeds, and hands them to the tests by STATOR_TEST_SEED.
 */
const drawsSeeds = [
  'tests/explore/main.ts',
  'tests/house/seeds.test.ts',
  'tests/house/time-and-chance.test.ts',
];
const callsFastCheck = ['tests/assert-property.ts'];

const freshChoices: readonly RegExp[] = [
  /\bMath\s*\.\s*random\b/,
  /\b(?:randomInt|randomBytes|randomFillSync|getRandomValues|webcrypto)\b/,
  // The time or the process as a seed.
  /\bseed\w*\s*[:=(]\s*[^;,\n]*\b(?:Date\s*\.\s*now|performance\s*\.\s*now|hrtime|process\s*\.\s*pid|new\s+Date)\b/i,
  /\bseededRandom\w*\(\s*(?:Date|performance|process|new\s+Date)\b/,
];
const bareFastCheck = /\bfc\s*\.\s*(?:assert|check|sample|statistics|configureGlobal)\b/;

const files = repositoryFiles().filter((path) => /^tests\/.*\.ts$/.test(path) || isOfTests(path));
const found = (pattern: RegExp, except: readonly string[]) =>
  files.filter((path) => !except.includes(path) && pattern.test(withoutWords(textOf(path))));

describe('tests', () => {
  it.each(freshChoices)('choose nothing by %s', (pattern) => {
    expect(found(pattern, drawsSeeds)).toEqual([]);
  });

  it('call fast-check with the seed of the run', () => {
    expect(found(bareFastCheck, callsFastCheck)).toEqual([]);
  });

  it('recognise what they forbid', () => {
    const fresh = [
      'const seed = Math.floor(Math.random() * 9);',
      'const seed = Date.now();',
      'open({ seed: Date.now() % 1000 });',
      'seededRandom(Date.now())',
      'seededRandom(process.pid)',
      'const at = randomInt(7);',
      'crypto.getRandomValues(bytes)',
    ];
    const isFresh = (code: string) => freshChoices.some((pattern) => pattern.test(withoutWords(code)));
    expect(fresh.filter((code) => !isFresh(code))).toEqual([]);
    const fixed = [
      'const seed = 7;',
      'const clock = new VirtualClock(Date.now());',
      'const name = randomUUID();',
      "it('never calls Math.random', () => {});",
      'open({ seed: 1, clock: new VirtualClock(Date.now()) });',
    ];
    expect(fixed.filter(isFresh)).toEqual([]);
    expect(bareFastCheck.test(withoutWords('fc.assert(property, { numRuns: 3 });'))).toBe(true);
    expect(bareFastCheck.test(withoutWords('assertProperty(fc.property(fc.integer(), check));'))).toBe(false);
  });
});

describe('seeds', () => {
  it('are the same in every run, and others for other tests', () => {
    // A seed that is given by hand replaces them.
    if (process.env.STATOR_TEST_SEED !== undefined) return;
    expect(testSeed('an example')).toBe(testSeed('an example'));
    expect(testSeeds('an example')).toEqual([371706316]);
    expect(testSeed('another example')).not.toBe(testSeed('an example'));
    expect(seededRandom(1).below(1e9)).toBe(seededRandom(1).below(1e9));
  });

  it('that found something belong to a test that runs them all', () => {
    const runs = files.flatMap((path) =>
      [...textOf(path).matchAll(/\btestSeeds\((?:'([^']*)'|`([^`]*)`)\)/g)].map(
        ([, text, template]) => text ?? template!,
      ),
    );
    // A name may have parts that are known only when the test runs.
    const patterns = runs.map(
      (name) =>
        new RegExp(
          `^${name
            .split(/\$\{[^}]*\}/)
            .map(escaped)
            .join('.+')}$`,
        ),
    );
    const lost = Object.keys(foundSeeds).filter((name) => !patterns.some((pattern) => pattern.test(name)));
    expect(lost).toEqual([]);
  });

  it('that found something are run after the fixed one', () => {
    if (process.env.STATOR_TEST_SEED !== undefined) return;
    for (const [name, finds] of Object.entries(foundSeeds)) {
      expect(testSeeds(name).slice(1)).toEqual(finds.map(({ seed }) => seed));
      expect(() => testSeed(name)).toThrow('testSeeds');
    }
  });
});

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
