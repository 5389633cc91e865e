import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { connectToAll } from './kept-connection.ts';
import { Places } from './places.ts';

const places = new Places();
const model = JSON.parse(
  readFileSync(new URL('../../examples/models/parcels/model.json', import.meta.url), 'utf8'),
) as object;

interface Served {
  readonly models: readonly { readonly model: object; readonly design: { readonly model: string } }[];
}

describe('stator start --model', () => {
  it('serves the model with the design that is derived from it', async () => {
    const directory = await places.directory({ 'parcels.json': model });
    const args = ['--in-memory', '--port', '0', '--model', 'parcels.json'];
    const endpoint = await places.start(directory, args).endpoint();
    const { models } = (await (await fetch(`${endpoint}/_stator/models`)).json()) as Served;
    expect(models).toMatchObject([
      {
        model: { name: 'parcels' },
        design: { model: 'parcels', tables: [{ name: 'parcels', proved: true }] },
      },
    ]);
  });

  it.runIf(process.platform === 'linux')('serves it from every worker', async () => {
    const directory = await places.directory({ 'parcels.json': model });
    const args = ['--port', '0', '--workers', '2', '--json', '--model', 'parcels.json'];
    const said = await places.start(directory, args).out.until(/"listening"/);
    const { endpoint, workers } = JSON.parse(said) as { endpoint: string; workers: number[] };
    const found = await connectToAll(endpoint, workers);
    for (const connection of found.keys()) {
      const { models } = (await connection.look('models')).body as unknown as Served;
      connection.close();
      expect(models).toMatchObject([{ model: { name: 'parcels' }, design: { model: 'parcels' } }]);
    }
  });

  it.each([
    ['does not exist', 'missing.json', /^stator: There is no file .*missing\.json\.\n/],
    ['is not JSON', 'broken.json', /^stator: .*broken\.json\n.*\n.*this is no JSON/],
    ['is no model', 'other.json', /^stator: .*other\.json\n?.*format/s],
    ['has another kind', 'model.yaml', /^stator: A model file ends in \.ts, \.mjs, \.js or \.json/],
    ['contradicts itself', 'wrong.json', /^stator: .*wrong\.json\n.*Ghost/s],
  ])('refuses a file that %s, and leaves nothing behind', async (_, file, why) => {
    const directory = await places.directory({
      'broken.json': '{ "format": ',
      'other.json': { format: 'somebody-else/1' },
      'model.yaml': 'format: stator-model/1',
      'wrong.json': JSON.parse(
        JSON.stringify(model).replaceAll('"entities":["Milestone"]', '"entities":["Ghost"]'),
      ),
    });
    const data = ['--port', '0', '--data-dir', 'data'];
    const { code, err, out } = await places.run(directory, [...data, '--model', file]);
    expect(err).toMatch(why);
    expect([code, out]).toEqual([2, '']);
  });
});
