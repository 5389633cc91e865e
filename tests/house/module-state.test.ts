import { expect, it } from 'vitest';
import { moduleState } from './module-state.ts';
import { filesUnder, isOfTests, textOf } from './source-files.ts';

/** Two databases in one process share whatever a module keeps. These names may change, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'src/cli/design/own-design.ts registered': 'the hook that loads models is registered once in a process',
  'src/lab/json-fault.ts word': 'the place of a regular expression, set before each use',
  'src/model/json/name-orders.ts cachedOrders': 'orders of names that bodies repeat: a cache without owner',
  'src/model/json/name-orders.ts seenHashes': 'belongs to the cache of orders',
  'src/observe/cloudwatch/math-syntax.ts token': 'the place of a regular expression, set before each use',
  'src/observe/cloudwatch/search-metrics.ts term': 'the place of a regular expression, set before each use',
  'src/runtime/clock.ts timersByHand': 'set once, by the class whose private member it reads',
  'src/sdk-commands.ts commands': 'the commands of the SDK, loaded once',
  'src/stator.ts refuseRequests': 'set once, by the class whose private member it reads',
  'src/storage/lmdb/writer-wait.ts isWatching':
    'writer threads that a process must not leave behind when it exits',
  'src/storage/lmdb/writer-wait.ts thrown':
    'writer threads that a process must not leave behind when it exits',
  'src/storage/lmdb/writer-wait.ts waiting':
    'writer threads that a process must not leave behind when it exits',
  'src/wire/request-head.ts isOfName': 'a table that the module fills while it is loaded',
};

it('modules keep no state', () => {
  const files = filesUnder('src').filter((path) => path.endsWith('.ts') && !isOfTests(path));
  const found = files.flatMap((path) => moduleState(textOf(path)).map((name) => `${path} ${name}`));
  expect(found.sort()).toEqual(Object.keys(exceptions).sort());
});

it.each([
  ['let count = 0;', ['count']],
  ['export let latest: string | undefined;', ['latest']],
  [
    'const cache = new Map<string, number>();\nexport function keep(a: string) {\n  cache.set(a, 1);\n}',
    ['cache'],
  ],
  ['const waiting: string[] = [];\nconst add = (a: string) => waiting.push(a);', ['waiting']],
  ['const counts: Record<string, number> = {};\nfunction note(a: string) {\n  counts[a]++;\n}', ['counts']],
  ['const state = { isOpen: false };\nfunction open() {\n  state.isOpen = true;\n}', ['state']],
  ['const bytes = new Uint8Array(8);\nfunction fill() {\n  bytes[0] = 1;\n}', ['bytes']],
  ['const names = new Set([1]);\nexport const has = (a: number) => names.has(a) && names.size === 1;', []],
  ['export function f() {\n  let own = 0;\n  const seen = new Map();\n  seen.set(own, 1);\n}', []],
  ['const limit = { max: 1 };\nconst isOver = (a: number) => a >= limit.max || limit.max === a;', []],
])('%j', (source, wanted) => {
  expect(moduleState(source)).toEqual(wanted);
});

it('one file of tests replaces modules, in a process of its own', () => {
  // `replacing` in `vitest.config.ts`: the other files share the modules of their process.
  const replaces = (path: string) => /\bvi\.(do)?[mM]ock\(/.test(textOf(path));
  const files = [...filesUnder('src'), ...filesUnder('tests')].filter((path) => path.endsWith('.test.ts'));
  expect(files.filter(replaces)).toEqual(['src/expressions/hostile.test.ts']);
});
