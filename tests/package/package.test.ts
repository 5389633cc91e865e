import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDirectory } from '../storage/directories.ts';
import { type Packed, pack, root } from './packed-workspace.ts';

const run = promisify(execFile);

/** What users get: the tarball is installed into an empty folder and used from there, and from nowhere else. */
describe('the published package', () => {
  let folder: string;
  let packed: Packed;

  beforeAll(async () => {
    folder = await newDirectory();
    packed = await pack(folder);
    await writeFile(join(folder, 'package.json'), '{ "name": "user", "private": true, "type": "commonjs" }');
    const install = ['install', join(folder, packed.filename), '--prefer-offline', '--no-audit', '--no-fund'];
    await run('npm', [...install, '--ignore-scripts'], { cwd: folder });
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('contains built code, types and the papers, and nothing else', () => {
    const paths = packed.files.map((file) => file.path);
    const others = paths
      .filter((path) => !/^dist\/.*\.(m?js|d\.m?ts)$/.test(path))
      .filter((path) => !/^dist\/studio\/[\w.-]+\.(html|js|css|svg)$/.test(path))
      .filter(
        (path) =>
          !/^docs\/(?:[\w-]+\.md|runbooks\/[\w-]+\.md|deploy\/[\w.-]+|design\/[\w-]+\.(?:md|schema\.json))$/.test(
            path,
          ) &&
          !/^docs\/handbook\/(?:[\w-]+\.md|pictures\/[\w-]+\.svg)$/.test(path) &&
          !/^docs\/(?:tour|images)\/[\w-]+\.png$/.test(path) &&
          path !== 'docs/lab.schema.json',
      )
      .filter((path) => !/^examples\/models\/[\w-]+\/(?:model\.(?:ts|json)|unsharded\.ts)$/.test(path))
      .filter(
        (path) =>
          !/^course\/\d-[\w-]+\/\d-[\w-]+\/(?:[\w-]+\.md|(?:start|solution)\/[\w-]+\.(?:mjs|json))$/.test(
            path,
          ),
      )
      .sort();
    expect(others).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/THIRD-PARTY-LICENSES.txt',
      'dist/package.json',
      'package.json',
    ]);
    // Pages for users, which the README leads to; not those for people who work on Stator.
    expect(paths).toContain('docs/tutorial.md');
    expect(paths).not.toContain('docs/requirements.md');
    expect(paths).not.toContain('docs/evidence.md');
    expect(packed.files.some((file) => /\.(test|fixture)\./.test(file.path))).toBe(false);
    // 800 files of 8.1 MB, 2.6 MB packed, in November 2026: one copy of the code (1.6 MB for the embedded library), the types of what is
    // exported, the design toolkit, the studio (at most 1 MB, tests/studio/serving.test.ts), the handbook and the runbooks
    // (0.4 MB), the course, and pictures of the studio and the laboratory (0.4 MB).
    expect(packed.unpackedSize).toBeLessThan(8_400_000);
    expect(packed.size).toBeLessThan(2_700_000);
  });

  it('has one copy of the code, whoever loads it', async () => {
    const text = `
      import { createRequire } from 'node:module';
      import * as modules from 'stator';
      import * as testing from 'stator/testing';
      const require = createRequire(import.meta.url);
      for (const [name, imported] of [['stator', modules], ['stator/testing', testing]]) {
        const required = require(name);
        const names = Object.keys(required).sort();
        const same = names.every((one) => imported[one] === required[one]);
        console.log(name, same, names.join() === Object.keys(imported).sort().join());
      }
      const heavy = Object.keys(require.cache).filter((path) => /node_modules.(lmdb|yaml|pg|@aws-sdk)/.test(path));
      console.log('loaded', heavy.length, modules.VirtualClock === testing.VirtualClock);`;
    const said = await runFile('twice.mjs', text);
    expect(said.split('\n')).toEqual(['stator true true', 'stator/testing true true', 'loaded 0 true']);
  });

  it('installs neither the AWS SDK nor pg', () => {
    expect(existsSync(join(folder, 'node_modules/@aws-sdk'))).toBe(false);
    expect(existsSync(join(folder, 'node_modules/pg'))).toBe(false);
  });

  it('is used from ES modules', async () => {
    expect(await runFile('use.mjs', `import { Stator } from 'stator';\n${program}`)).toBe('ok 1 esm');
  });

  it('is used from CommonJS', async () => {
    const text = `const { Stator } = require('stator');\n(async () => {${program}})();`;
    expect(await runFile('use.cjs', text.replace("'esm'", "'cjs'"))).toBe('ok 1 cjs');
  });

  it('is used for tests', async () => {
    const text = `
      import { testDatabase } from 'stator/testing';
      const base = await testDatabase({ tables: [${table}] });
      const names = await base.fork().listTables({});
      console.log(names.TableNames.join());`;
    expect(await runFile('testing.mjs', text)).toBe('Music');
  });

  it('keeps data on disk', async () => {
    const text = (put: boolean) => `
      import { Stator } from 'stator';
      const db = await Stator.open({ store: 'lmdb:./data' });
      ${put ? `await db.createTable(${table}); await db.putItem({ TableName: 'Music', Item: { Artist: { S: 'a' } } });` : ''}
      const { Item } = await db.getItem({ TableName: 'Music', Key: { Artist: { S: 'a' } } });
      console.log(Item.Artist.S);
      await db.close();`;
    expect(await runFile('first.mjs', text(true))).toBe('a');
    expect(await runFile('second.mjs', text(false))).toBe('a');
  });

  it('says what to install for what it does not bring', async () => {
    const text = `
      import { Stator } from 'stator';
      const db = await Stator.open();
      try { db.client(); } catch (error) { console.log(error.message); }
      try { await Stator.open({ store: 'postgres://localhost/none' }); } catch (error) { console.log(error.message); }`;
    const said = await runFile('missing.mjs', text);
    expect(said).toContain('@aws-sdk/client-dynamodb');
    expect(said).toMatch(/\bpg\b/);
  });

  it('has a command', async () => {
    const { stdout } = await run(join(folder, 'node_modules/.bin/stator'), ['--version'], { cwd: folder });
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(stdout).toContain(version);
  });

  it('reads models as .mjs anywhere, and as .ts or says what is missing', async () => {
    const text = `import { count, entity, get, id, model } from 'stator/design';
      const thing = entity('Thing', { identity: { thingId: id(8) }, population: count(10) });
      export default model('things', {
        entities: [thing],
        reads: { R1: get(thing, { does: 'a thing', by: 'thingId', peak: 1 }) },
        writes: {},
      });`;
    for (const name of ['things.mjs', 'things.mts']) await writeFile(join(folder, name), text);
    const derive = async (name: string) => {
      const command = join(folder, 'node_modules/.bin/stator');
      return run(command, ['design', 'derive', name], { cwd: folder }).then(
        ({ stdout }) => stdout,
        ({ stderr }) => stderr as string,
      );
    };
    expect(await derive('things.mjs')).toContain('THING#{thingId}');
    const { typescript } = process.features as { readonly typescript?: unknown };
    expect(await derive('things.mts')).toMatch(
      typescript ? /THING#\{thingId\}/ : /which Node 20[\d.]+ cannot import by itself[\s\S]*Install tsx/,
    );
  });

  it.each([
    ['module', 'nodenext'],
    ['module', 'node16'],
    ['commonjs', 'nodenext'],
    ['commonjs', 'node16'],
    ['module', 'preserve'],
  ])('has types for TypeScript in a package of type %s, compiled as %s', async (type, module) => {
    const place = join(folder, `types-${type}-${module}`);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'package.json'), JSON.stringify({ name: 'types', private: true, type }));
    await writeFile(
      join(place, 'use.ts'),
      `import { Stator, VirtualClock, type StatorOptions } from 'stator';
       import { testDatabase } from 'stator/testing';
       export async function use(options: StatorOptions): Promise<string | undefined> {
         const db = await Stator.open({ ...options, clock: new VirtualClock(0) });
         const found = await db.getItem({ TableName: 'T', Key: { k: { S: 'v' } } });
         // @ts-expect-error An attribute value is not a bare string.
         await db.putItem({ TableName: 'T', Item: { k: 'v' } });
         await testDatabase({ tables: [] });
         return found.Item?.k?.S;
       }`,
    );
    const settings = { module, target: 'es2022', strict: true, noEmit: true, skipLibCheck: false, types: [] };
    await writeFile(
      join(place, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: settings, include: ['use.ts'] }),
    );
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', place], { cwd: place });
  });

  async function runFile(name: string, text: string): Promise<string> {
    await writeFile(join(folder, name), text);
    const { stdout } = await run(process.execPath, [name], { cwd: folder });
    return stdout.trim();
  }
});

const table = `{
  TableName: 'Music',
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'Artist', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'Artist', KeyType: 'HASH' }],
}`;

const program = `
  const db = await Stator.open();
  await db.createTable(${table});
  await db.putItem({ TableName: 'Music', Item: { Artist: { S: 'Nina' }, Born: { N: '1933' } } });
  const { Table } = await db.describeTable({ TableName: 'Music' });
  console.log('ok', Table.ItemCount, 'esm');
  await db.close();
`;
