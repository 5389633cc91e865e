import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judge, modelOfFile } from '../../studio/pages/patterns/judge-model.ts';
import { patternDraft } from '../../studio/pages/patterns/pattern-draft.ts';

/** The checker as the page loads it, on the models that come with the package. */

const folder = new URL('../../examples/models/', import.meta.url);
const examples = readdirSync(folder, { withFileTypes: true })
  .filter((one) => one.isDirectory())
  .map(({ name }) => name);

describe('what the page says of a model', () => {
  it.each(examples)('%s: every table is proved, and every pattern has its plan and price', (name) => {
    const { model, design } = modelOfFile(readFileSync(new URL(`${name}/model.json`, folder), 'utf8'));
    for (const table of design.tables) {
      const judged = judge(model, design, table.name);
      expect(judged).toMatchObject({ proof: 'proved', troubles: [] });
      expect(judged.claims.join()).not.toContain('undefined');
      for (const pattern of judged.patterns) {
        expect(pattern).toMatchObject({ standing: 'proved' });
        expect(pattern.plan).not.toBe('');
        expect(pattern.units).toBeGreaterThan(0);
        expect(pattern.monthly).toBeGreaterThan(0);
      }
      expect(judged.keys.length).toBe(table.placements.length);
    }
    const shown = design.tables.flatMap(({ name: table }) => judge(model, design, table).patterns);
    const names = [...model.reads, ...model.writes].map((one) => one.name);
    expect(new Set(shown.map((one) => one.name))).toEqual(new Set(names));
  });

  it('takes a design with its model, and refuses files that are neither', () => {
    const text = readFileSync(new URL('orders/model.json', folder), 'utf8');
    const { model, design } = modelOfFile(text);
    expect(modelOfFile(JSON.stringify({ model, design }))).toEqual({ model, design });
    expect(() => modelOfFile('{}')).toThrow();
    expect(() => modelOfFile('no json')).toThrow();
  });

  it('drafts reads and writes, with the entity where the keys tell it', () => {
    const keys = [{ entity: 'Order', slot: 'GSI1', partition: 'ORDER#{status}#{customerId}' }];
    const shape = { operation: 'Query', index: 'GSI1', keyCondition: 'GSI1PK = ?', filter: 'total > ?' };
    expect(patternDraft('open orders', shape, keys)).toBe(
      [
        '// seen as Query on GSI1',
        '//   by GSI1PK = ?',
        '//   filtered by total > ?',
        '"open orders": list(Order, { by: ["status", "customerId"], page: 25, rate: { peak: 1, mean: 0.1 } }),',
      ].join('\n'),
    );
    expect(patternDraft('ship', { operation: 'UpdateItem' }, [])).toContain('steps: [change(Entity)]');
  });
});
