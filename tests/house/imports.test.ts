import { builtinModules } from 'node:module';
import { describe, expect, it } from 'vitest';
import { findCycle } from './find-cycle.ts';
import { type Import, readImports, targetOf, withoutWords } from './read-imports.ts';
import { filesUnder, isOfTests, textOf } from './source-files.ts';

/**
 * Which folder of `src` may import which others. `root` is the files directly in `src`, where everything is put
 * together. A folder named here is its own; a deeper one without a row belongs to the one above it.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  model: [],
  expressions: ['model'],
  physics: ['model'],

  // Rows of CSV and JSON lines.
  rows: ['model'],
  // The one place that creates files and directories.
  files: [],

  // Time and chance: what they are, and virtual ones. Only `machine` reads the machine's own.
  runtime: ['model'],
  'runtime/machine': ['runtime'],

  storage: ['model'],
  'storage/memory': ['storage', 'runtime/machine', 'model'],
  'storage/lmdb': ['storage', 'files', 'runtime/machine', 'runtime', 'model'],
  'storage/postgres': ['storage', 'runtime/machine', 'runtime', 'model'],

  // The one way a request goes. Only the root knows which engines of storage there are.
  engine: ['storage', 'physics', 'expressions', 'rows', 'runtime', 'model'],
  operations: ['engine', 'physics', 'expressions', 'runtime', 'model'],
  wire: ['operations', 'kit', 'runtime/machine', 'runtime', 'model'],
  // Whatever calls an endpoint: the caller, classes of errors, retry policies, the stream reader, the signer.
  kit: ['model'],
  cli: [
    'root',
    'kit',
    'tables-from',
    'wire',
    'operations',
    'expressions',
    'observe',
    'design',
    'workload',
    'traffic',
    'prove',
    'lab',
    'report',
    'doctor',
    'migrate',
    'learn',
    'toolkit',
    'anonymise',
    'objects',
    'files',
    'rows',
    'runtime/machine',
    'runtime',
    'model',
  ],

  // Other doors than HTTP's DynamoDB: plain objects, our own resources, the SDK without a socket.
  plain: ['operations', 'engine', 'model'],
  control: [
    ...['wire', 'kit', 'engine', 'observe', 'storage', 'traffic', 'doctor', 'runtime/machine', 'runtime'],
    ...['model'],
  ],
  sdk: ['kit', 'wire', 'operations', 'model'],
  // Serves the built page; the page itself is under `studio/` and has rules of its own.
  studio: ['wire', 'model'],
  // Where the records of Kinesis destinations go.
  kinesis: ['engine', 'files', 'runtime/machine', 'model'],
  // Where exports are written to and imports are read from.
  objects: ['engine', 'files', 'rows', 'runtime/machine', 'model'],
  'tables-from': ['operations', 'model'],
  // Makes production's data fit to leave production.
  anonymise: ['model'],

  // It listens to events; only those who put things together may know of it.
  observe: ['engine', 'physics', 'storage', 'runtime', 'model'],
  // The APIs of CloudWatch and Application Auto Scaling, which speak the language of operations.
  'observe/cloudwatch': ['observe', 'operations', 'model'],
  'observe/alarms': [
    ...['observe/cloudwatch', 'observe', 'operations', 'engine', 'storage', 'runtime', 'model'],
  ],
  'observe/auto-scaling': [
    ...['observe/alarms', 'observe/cloudwatch', 'observe', 'operations', 'engine', 'storage', 'model'],
  ],

  // They speak the public API, so that they work against AWS too. The model is vocabulary, not a back door.
  // `stator/design` itself loads no engine; its arithmetic is the engine's own.
  design: ['root', 'physics', 'model'],
  // `stator/client` sends what the design compiles, through a client that is handed in.
  client: ['design', 'kit', 'model'],
  // Runs plans of `design` through calls that are handed in.
  migrate: ['design', 'kit', 'model'],
  toolkit: ['root', 'model'],

  // Traffic files and their recorder; the runner of workloads, which simulates on a database of its own; proofs.
  traffic: ['engine', 'runtime/machine', 'model'],
  workload: ['root', 'kit', 'traffic', 'design', 'physics', 'runtime/machine', 'runtime', 'model'],
  prove: [
    ...['root', 'kit', 'workload', 'traffic', 'report', 'design', 'physics', 'runtime/machine'],
    ...['model'],
  ],
  // The laboratory: scenarios run on a database of its own, with auto scaling where they have it.
  lab: [
    ...['root', 'kit', 'workload', 'traffic', 'report', 'design', 'engine', 'observe', 'physics', 'runtime'],
    ...['model'],
  ],
  // How reports look: figures, plots, pages.
  report: [],

  // Speaks the public API through an endpoint that is handed in; the rest is types, and the list of alarms.
  doctor: ['observe/alarms', 'observe', 'engine', 'model'],

  // The course: it judges by the public API, on databases of its own.
  learn: ['root', 'workload', 'design', 'observe/alarms', 'runtime/machine', 'model'],

  testing: ['root', 'tables-from', 'runtime/machine', 'model'],
  root: [
    ...['model', 'expressions', 'physics', 'storage', 'storage/memory', 'storage/lmdb', 'storage/postgres'],
    ...['observe/cloudwatch', 'observe/alarms', 'observe/auto-scaling'],
    ...[
      'engine',
      'operations',
      'wire',
      'observe',
      'design',
      'toolkit',
      'traffic',
      'runtime',
      'runtime/machine',
    ],
    ...['plain', 'control', 'sdk', 'kinesis', 'objects', 'files', 'tables-from', 'studio'],
  ],
};

/** These run anywhere: nothing from Node, not even by a global name. */
const withoutNode = [
  'model',
  'runtime',
  'expressions',
  'physics',
  'operations',
  'engine',
  'kit',
  'rows',
  'design',
  'migrate',
  'anonymise',
];

/** Every package that `src` uses, where, and whether only when asked for. Types cost nothing and are free. */
const packages: Readonly<Record<string, { in: readonly string[]; onlyDynamic?: boolean }>> = {
  lmdb: { in: ['storage/lmdb'] },
  'sorted-btree': { in: ['storage/memory'] },
  pg: { in: ['storage/postgres'], onlyDynamic: true },
  '@clack/prompts': { in: ['cli'], onlyDynamic: true },
  yaml: { in: ['tables-from'], onlyDynamic: true },
  '@aws-sdk/*': { in: ['sdk', 'kinesis', 'objects', 'client', 'migrate', 'root'], onlyDynamic: true },
  fzstd: { in: ['objects'], onlyDynamic: true },
  '@opentelemetry/*': { in: ['root'], onlyDynamic: true },
  '@smithy/*': { in: ['sdk', 'root'], onlyDynamic: true },
};

/** Only the command line loads what a user names, such as a configuration file. */
const loadsWhatUsersName = ['cli'];

const files = filesUnder('src').filter((path) => path.endsWith('.ts') && !isOfTests(path));
const imports = files.flatMap((path) => readImports(path, textOf(path)));

describe('imports', () => {
  it('find every folder of src in the table', () => {
    expect(files.map(folderOf).filter((folder) => mayImport[folder] === undefined)).toEqual([]);
  });

  it('point one way', () => {
    expect(imports.filter(pointsWrong).map(shown)).toEqual([]);
  });

  it('make no circle of folders', () => {
    const edges = new Map<string, Set<string>>();
    for (const found of imports) {
      const target = targetOf(found);
      if (target === undefined) continue;
      const from = folderOf(found.from);
      if (!edges.has(from)) edges.set(from, new Set());
      if (folderOf(target) !== from) edges.get(from)!.add(folderOf(target));
    }
    expect(findCycle(edges)).toBeUndefined();
  });

  it('never lead from the product into its tests', () => {
    expect(imports.filter(leadsIntoTests).map(shown)).toEqual([]);
  });

  it('keep Node out of what must run anywhere', () => {
    expect(imports.filter(takesNode).map(shown)).toEqual([]);
    const anywhere = files.filter((path) => withoutNode.includes(folderOf(path)));
    expect(anywhere.length).toBeGreaterThan(300);
    expect(anywhere.filter((path) => namesNode(textOf(path)))).toEqual([]);
  });

  it('take packages only where the table allows it', () => {
    expect(imports.filter(takesForeign).map(shown)).toEqual([]);
  });
});

describe('a violation', () => {
  const found = (judge: (one: Import) => boolean, from: string, ...sources: readonly string[]) =>
    sources.filter((source) => readImports(from, source).some(judge));

  it('of the way that imports point is found', () => {
    const wrong = [
      "import { HttpServer } from '../wire/http-server.ts';",
      "import type { Stator } from '../stator.ts';",
      "export { createTable } from '../operations/tables/create-table.ts';",
      "const later = await import('../cli/main.ts');",
      "import { places } from '../../tests/cli/places.ts';",
    ];
    expect(found(pointsWrong, 'src/engine/engine.ts', ...wrong)).toEqual(wrong);
    const right = ["import { limits } from '../model/limits.ts';", "import { road } from './road.ts';"];
    expect(found(pointsWrong, 'src/engine/engine.ts', ...right)).toEqual([]);
  });

  it('by which the product loads its tests is found', () => {
    const wrong = ["import { cases } from './cases.fixture.ts';", "import '../../tests/naive/model.ts';"];
    expect(found(leadsIntoTests, 'src/expressions/tree.ts', ...wrong)).toEqual(wrong);
  });

  it('of what must run anywhere is found', () => {
    const wrong = ["import { createHash } from 'node:crypto';", "import { join } from 'path';"];
    expect(found(takesNode, 'src/kit/signer.ts', ...wrong)).toEqual(wrong);
    expect(found(takesNode, 'src/wire/signature.ts', ...wrong)).toEqual([]);
    expect(['Buffer.from(a)', 'process.env.A', '__dirname + a'].filter((code) => !namesNode(code))).toEqual(
      [],
    );
    expect(namesNode("const a = 'process.env'; // Buffer")).toBe(false);
  });

  it('of the table of packages is found', () => {
    const wrong = [
      "import lodash from 'lodash';",
      "import { parse } from 'yaml';",
      "import { Client } from 'pg';",
      'await import(name);',
    ];
    expect(found(takesForeign, 'src/storage/postgres/pool.ts', ...wrong)).toEqual(wrong);
    const right = ["const { Client } = await import('pg');", "import type { Pool } from 'pg';"];
    expect(found(takesForeign, 'src/storage/postgres/pool.ts', ...right)).toEqual([]);
  });
});

describe('the reader of imports', () => {
  const source = [
    "import { a, type B } from './a.ts';",
    "import type { C } from './c.ts';",
    "import { type D, type E } from './d.ts';",
    "import './effect.ts'; import './same-line.ts';",
    "import * as all from 'node:fs';",
    "import {\n  one,\n  two,\n} from '../lines.ts';",
    "export * from './every.ts';",
    "export type { F } from './f.ts';",
    "const later = await import('pg');",
    "type G = import('./g.ts').G;",
    'await import(name);',
    "// import { no } from './comment.ts';",
    "/* import './block.ts'; */",
    "const text = 'import(x)'.replace(/[/'*]/g, ''); // Buffer and process.env",
    "const url = 'https://example.com'; import('./after.ts');",
    'export const from = 1;',
    "const other = 'process.env';",
  ].join('\n');

  it('finds every form, and nothing in comments', () => {
    expect(
      readImports('x.ts', source).map(({ specifier, dynamic, typeOnly }) =>
        [specifier, dynamic && 'dynamic', typeOnly && 'types'].filter(Boolean).join(' '),
      ),
    ).toEqual([
      './a.ts',
      './c.ts types',
      './d.ts types',
      './effect.ts',
      './same-line.ts',
      'node:fs',
      '../lines.ts',
      './every.ts',
      './f.ts types',
      'pg dynamic',
      './g.ts dynamic',
      'name dynamic',
      './after.ts dynamic',
    ]);
    const erased = readImports('x.ts', source).filter((found) => found.erased);
    expect(erased.map(({ specifier }) => specifier)).toEqual(['./c.ts', './f.ts']);
  });

  it('finds identifiers, and nothing in comments and strings', () => {
    expect(withoutWords(source)).not.toMatch(/Buffer|process/);
    const used = withoutWords(['const a = `$', '{process.env.A}` + Buffer.from(b);'].join(''));
    expect(used).toMatch(/process\.env.*Buffer/);
  });
});

function pointsWrong(found: Import): boolean {
  const target = targetOf(found);
  if (target === undefined) return false;
  if (!target.startsWith('src/')) return true;
  const [from, to] = [folderOf(found.from), folderOf(target)];
  return from !== to && !mayImport[from]?.includes(to);
}

function leadsIntoTests(found: Import): boolean {
  const target = targetOf(found);
  return target !== undefined && (isOfTests(target) || /^(tests|benchmarks)\//.test(target));
}

function takesNode({ from, specifier }: Import): boolean {
  return withoutNode.includes(folderOf(from)) && isOfNode(specifier);
}

function namesNode(code: string): boolean {
  return /\bBuffer\b|\bprocess\s*\.|\b__dirname\b/.test(withoutWords(code));
}

function takesForeign(found: Import): boolean {
  if (targetOf(found) !== undefined || isOfNode(found.specifier)) return false;
  if (found.computed) return !loadsWhatUsersName.includes(folderOf(found.from));
  const rule = packages[packageOf(found.specifier)];
  if (rule === undefined || !rule.in.includes(folderOf(found.from))) return true;
  return (rule.onlyDynamic ?? false) && !found.dynamic && !found.typeOnly;
}

function folderOf(path: string): string {
  const parts = path.split('/').slice(1, -1);
  for (let length = parts.length; length > 0; length--) {
    const folder = parts.slice(0, length).join('/');
    if (mayImport[folder] !== undefined || length === 1) return folder;
  }
  return 'root';
}

function packageOf(specifier: string): string {
  const [scope, name] = specifier.split('/');
  if (scope!.startsWith('@')) return packages[`${scope}/*`] === undefined ? `${scope}/${name}` : `${scope}/*`;
  return scope!;
}

function isOfNode(specifier: string): boolean {
  return specifier.startsWith('node:') || builtinModules.includes(specifier);
}

function shown({ from, specifier }: Import): string {
  return `${from} imports ${specifier}`;
}
