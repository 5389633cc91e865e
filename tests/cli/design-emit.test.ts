import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Places } from './places.ts';

const places = new Places();
const generated = fileURLToPath(new URL('../../examples/models/orders/generated', import.meta.url));

const notes = `
import { count, entity, epoch, get, id, model } from 'stator/design';
const note = entity('Note', { identity: { noteId: id(5) }, fixed: { gone: epoch() }, ttl: 'gone', population: count(10) });
const other = entity('Other', { identity: { otherId: id(5) }, fixed: { over: epoch() }, ttl: 'over', population: count(10) });
export default model('notes', {
  entities: [note, other],
  reads: { R: get(note, { does: 'a note', by: 'noteId', peak: 1 }), S: get(other, { does: 'it', by: 'otherId', peak: 1 }) },
  writes: {},
});`;

async function ordersModel(): Promise<string> {
  const source = fileURLToPath(new URL('../../examples/models/orders/model.ts', import.meta.url));
  return readFile(source, 'utf8');
}

it('prints one format, and writes all of them into a directory', async () => {
  const directory = await places.directory({ 'model.ts': await ordersModel() });
  const printed = await places.run(directory, ['design', 'emit', 'terraform', 'model.ts']);
  expect([printed.code, printed.err]).toEqual([0, '']);
  expect(printed.out).toBe(await readFile(join(generated, 'main.tf'), 'utf8'));
  const all = await places.run(directory, ['design', 'emit', 'all', 'model.ts', '--out', 'made', '--quiet']);
  expect([all.code, all.err]).toEqual([0, '']);
  for (const file of await readdir(join(directory, 'made')))
    expect(await readFile(join(directory, 'made', file), 'utf8')).toBe(
      await readFile(join(generated, file), 'utf8'),
    );
});

it('refuses what it cannot write and leaves every file as it was', async () => {
  const directory = await places.directory({ 'model.ts': await ordersModel(), 'two.mjs': notes });
  await mkdir(join(directory, 'made'));
  await writeFile(join(directory, 'made', 'cdk.ts'), 'mine');
  const run = (...args: string[]) => places.run(directory, ['design', 'emit', ...args]);
  const refusals: [string[], number, string][] = [
    [['teraform', 'model.ts'], 2, 'Did you mean terraform?'],
    [[], 2, 'needs a format and a model'],
    [['cdk'], 2, 'needs a file'],
    [['all', 'model.ts'], 2, 'needs a directory'],
    [['all', 'two.mjs', '--out', 'made'], 1, 'one TTL attribute'],
    [['cdk', 'model.ts', '--out', 'made'], 1, 'Nothing was written'],
    [['iam', 'model.ts', '--account', '1'], 2, '--account must be an account of 12 digits'],
  ];
  for (const [args, code, words] of refusals) {
    const ending = await run(...args);
    expect([args.join(' '), ending.code]).toEqual([args.join(' '), code]);
    expect(ending.err).toContain(words);
    expect(ending.out).toBe('');
  }
  expect(await readdir(join(directory, 'made'))).toEqual(['cdk.ts']);
  expect(await readFile(join(directory, 'made', 'cdk.ts'), 'utf8')).toBe('mine');
});
