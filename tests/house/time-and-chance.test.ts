import { describe, expect, it } from 'vitest';
import { withoutWords } from './read-imports.ts';
import { filesUnder, isOfTests, textOf } from './source-files.ts';

/** The one file that reads the system's clock, sets timers and draws from the system's randomness. */
const source = 'src/runtime/machine/machine.ts';

/** Those that have sources of their own, each with its reason. */
const excepted: Readonly<Record<string, string>> = {
  'src/client/client.ts':
    'runs in programs, browsers too, that load nothing of Node or of the engine; its options take other sources',
};

const rawSources: Readonly<Record<string, RegExp>> = {
  'the system clock': /\bDate\s*\.\s*now\b|\bnew\s+Date\s*(?:\(\s*\)|;)|(?<!new\s+)(?<![.\w])Date\s*\(\s*\)/,
  'a stopwatch': /\bperformance\b\s*\??\.|\bhrtime\b|\bperf_hooks\b/,
  'a timer': /(?<![.\w])(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b|\bnextTick\b/,
  'a deadline': /\bAbortSignal\s*\.\s*timeout\b/,
  randomness: /\bMath\s*\.\s*random\b|\b(?:randomUUID|randomInt|randomFill\w*|getRandomValues|webcrypto)\b/,
};
/** Modules and members that go by strings, which the patterns above do not see. */
const rawModules = /from '(?:node:)?(?:timers(?:\/promises)?|perf_hooks)'/;

const files = filesUnder('src').filter((path) => path.endsWith('.ts') && !isOfTests(path));

/** What a text takes of time and chance from the machine itself. */
function rawIn(text: string): string[] {
  const code = withoutWords(text);
  const found = Object.entries(rawSources)
    .filter(([, pattern]) => pattern.test(code))
    .map(([name]) => name);
  if (rawModules.test(text)) found.push('a module of timers');
  if (/import \{[^}]*\brandomBytes\b[^}]*\} from 'node:crypto'/.test(text))
    found.push('random bytes of Node');
  return found;
}

describe('time and chance', () => {
  it('come from the runtime alone', () => {
    const wrong = files
      .filter((path) => path !== source && excepted[path] === undefined)
      .map((path) => [path, ...rawIn(textOf(path))])
      .filter(([, ...found]) => found.length > 0);
    expect(wrong).toEqual([]);
  });

  it('have no exception that nothing needs any more', () => {
    for (const path of [source, ...Object.keys(excepted)])
      expect([path, rawIn(textOf(path))]).not.toEqual([path, []]);
  });

  it('are recognised in every form', () => {
    const planted = {
      'const at = Date.now();': 'the system clock',
      'const { now } = Date; const at = new Date();': 'the system clock',
      'const text = Date();': 'the system clock',
      'options.now ?? Date.now': 'the system clock',
      'const began = performance.now();': 'a stopwatch',
      'process.hrtime.bigint()': 'a stopwatch',
      'setTimeout(run, 5).unref();': 'a timer',
      'await new Promise(setImmediate);': 'a timer',
      'const later = globalThis\n  .alarm ?? setInterval;': 'a timer',
      'queueMicrotask(run)': 'a timer',
      'process.nextTick(run)': 'a timer',
      'signal: AbortSignal.timeout(500)': 'a deadline',
      'const x = Math.random() < 0.5': 'randomness',
      'crypto.getRandomValues(words)': 'randomness',
      "import { randomUUID } from 'node:crypto';": 'randomness',
      "import { setTimeout as wait } from 'node:timers/promises';": 'a module of timers',
      "import {\n  createHash,\n  randomBytes,\n} from 'node:crypto';": 'random bytes of Node',
    };
    for (const [text, name] of Object.entries(planted))
      expect([text, rawIn(text)]).toEqual([text, expect.arrayContaining([name])]);
  });

  it('are not mistaken for others', () => {
    const allowed = [
      "const hint = 'Date.now() or new Date()';",
      '// Math.random() would not do here',
      'socket.setTimeout(5, end);',
      'const at = new Date(nowMs).toISOString();',
      'Date.parse(text) + Date.UTC(2026, 0)',
      "import { randomBytes } from '../runtime/randomness.ts';",
      'measure.performanceOf(arm)',
    ];
    for (const text of allowed) expect([text, rawIn(text)]).toEqual([text, []]);
  });
});
