import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Places } from './places.ts';

const places = new Places();
const models = fileURLToPath(new URL('../../examples/models', import.meta.url));

const things = `
import { count, entity, get, id, model } from 'stator/design';
const thing = entity('Thing', { identity: { thingId: id(5) }, population: count(10) });
export const things = model('things', {
  entities: [thing],
  reads: { R1: get(thing, { does: 'a thing', by: 'BY', peak: 1 }) },
  writes: {},
});`;

it('derives a TypeScript model in a folder without any package', async () => {
  const directory = await places.directory();
  await cp(join(models, 'feed'), join(directory, 'feed'), { recursive: true });
  const { code, out, err } = await places.run(directory, ['design', 'derive', 'feed/model.ts']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^Table feed {2}6 entities, 1 global index, \$/);
  expect(out).toContain('Fewer or more indexes');
});

it('writes the design and prints CreateTable requests', async () => {
  const directory = await places.directory({ 'm.mjs': things.replace('BY', 'thingId') });
  const written = await places.run(directory, ['design', 'derive', 'm.mjs', '--out', 'd.json', '--json']);
  expect(written.code).toBe(0);
  const { event, design } = JSON.parse(written.out.trim()) as { event: string; design: unknown };
  expect(event).toBe('derived');
  expect(JSON.parse(await readFile(join(directory, 'd.json'), 'utf8'))).toEqual(design);
  const again = await places.run(directory, [
    'design',
    'derive',
    'm.mjs',
    '--previous',
    'd.json',
    '--create-table',
  ]);
  expect(JSON.parse(again.out)).toMatchObject({ TableName: 'things', BillingMode: 'PAY_PER_REQUEST' });
});

it('refuses what is wrong, without a stack', async () => {
  const directory = await places.directory({
    'm.mjs': things.replace('BY', 'thingI'),
    'none.mjs': 'export default 1;',
    'other.json': { format: 'x' },
    'broken.json': '{ "format"',
    'm.txt': '',
    'slip.mts': "import { model } from 'stator/design';\n\nmodel('m', { entites: [] } as never);\n",
  });
  const refusals: [string[], number, string][] = [
    [['derive', 'm.mjs'], 1, 'read R1 (names): "thingI" is not an attribute of Thing'],
    [['derive', 'none.mjs'], 1, 'none.mjs exports no model.'],
    [['derive', 'other.json'], 1, '/format (schema): must be "stator-model/1"'],
    [['derive', 'broken.json'], 1, 'this is no JSON'],
    [['derive', 'missing.json'], 1, 'There is no file'],
    [['derive', 'slip.mts'], 1, 'model("m", …) takes no "entites". Did you mean "entities"?'],
    [['derive', 'slip.mts'], 1, 'slip.mts:3:'],
    [['derive', 'm.txt'], 2, 'A model file ends in'],
    [['derive'], 2, 'design derive needs a file.'],
    [['drive'], 2, 'Did you mean stator design derive?'],
  ];
  for (const [words, status, text] of refusals) {
    const { code, out, err } = await places.run(directory, ['design', ...words]);
    expect(err).toContain(text);
    expect(err).not.toMatch(/\n {4}at /);
    expect([code, out]).toEqual([status, '']);
  }
});

it('prints the help of the verbs', async () => {
  const directory = await places.directory();
  expect((await places.run(directory, ['design'])).out).toContain('Verbs:');
  const long = await places.run(directory, ['help', 'design', 'derive']);
  expect(long.out).toContain('Usage: stator design derive <model>');
  expect((await places.run(directory, ['design', 'derive', '--help'])).out).toBe(long.out);
});
