import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Places } from './places.ts';

const places = new Places();

const things = (page: string) => `
import { choice, count, entity, id, list, model } from 'stator/design';
const thing = entity('Thing', {
  identity: { thingId: id(5) },
  changing: { colour: choice('RED', 'BLUE') },
  population: count(10),
  keys: { table: (t) => [\`THING#\${t.thingId}\`, 'THING'] },
});
export default model('things', {
  entities: [thing],
  reads: { R1: list(thing, { does: 'things', by: '${page}', page: 5, peak: 1 }) },
  writes: {},
});`;

it('passes, fails, and says where', async () => {
  const directory = await places.directory({ 'good.mjs': things('thingId'), 'bad.mjs': things('colour') });
  const good = await places.run(directory, ['design', 'check', 'good.mjs']);
  expect([good.code, good.err]).toEqual([0, '']);
  expect(good.out).toMatch(/^things {2}all \d+ checks hold/);
  const bad = await places.run(directory, ['design', 'check', 'bad.mjs']);
  expect(bad.code).toBe(1);
  expect(bad.out).toContain('error no-scan  read R1');
  expect(bad.err).toContain('1 of the findings fail the check (--fail-on error)');
  expect((await places.run(directory, ['design', 'check', 'bad.mjs', '--fail-on', 'never'])).code).toBe(0);
  const sarif = await places.run(directory, ['design', 'check', 'bad.mjs', '--format', 'sarif']);
  expect(JSON.parse(sarif.out).runs[0].results[0].locations[0].physicalLocation).toEqual({
    artifactLocation: { uri: 'bad.mjs' },
    region: { startLine: 11 },
  });
  const junit = await places.run(directory, ['design', 'check', 'bad.mjs', '--format', 'junit']);
  expect(junit.out).toContain('<testsuites name="stator design check"');
  await writeFile(join(directory, 'broken.mjs'), things('color'));
  const broken = await places.run(directory, ['design', 'check', 'broken.mjs', '--format', 'sarif']);
  expect(broken.code).toBe(1);
  expect(JSON.parse(broken.out).runs[0].results[0]).toMatchObject({
    ruleId: 'model-contradiction',
    message: { text: expect.stringContaining('Correct the name') },
  });
  const json = await places.run(directory, ['design', 'check', 'bad.mjs', '--json']);
  expect(JSON.parse(json.out).findings[0]).toMatchObject({
    check: 'no-scan',
    severity: 'error',
    where: 'read R1',
  });
});

it('judges a design by its model', async () => {
  const directory = await places.directory({ 'm.mjs': things('thingId') });
  await places.run(directory, ['design', 'derive', 'm.mjs', '--out', 'd.json']);
  const alone = await places.run(directory, ['design', 'check', 'd.json']);
  expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('--model')]);
  expect((await places.run(directory, ['design', 'check', 'd.json', '--model', 'm.mjs'])).code).toBe(0);
});

it('checks again when the model changes', async () => {
  const directory = await places.directory({ 'm.mjs': things('colour') });
  const running = places.start(directory, ['design', 'check', 'm.mjs', '--watch']);
  await running.err.until(/Watching/);
  expect(running.out.text).toContain('no-scan');
  await writeFile(join(directory, 'm.mjs'), things('thingId'));
  await running.out.until(/all \d+ checks hold/);
  running.process.kill('SIGINT');
  expect((await running.ended).code).toBe(0);
});
