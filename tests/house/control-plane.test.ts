import { describe, expect, it } from 'vitest';
import { filesUnder, isOfTests, textOf } from './source-files.ts';

/**
 * Decision 0035: records of tables are changed by commands of the engine, and what differs by kind of index is asked of
 * `indexBehaviours`.
 */
const changesRecords = /\bcatalogue\s*\.\s*change\s*\(/;
const asksKind = [/\bkind\s*[!=]==\s*'(?:local|global)'/, /\.(?:lsis|gsis)\b/];
const kinds = ['src/engine/indexes/kinds/', 'src/engine/tables/parts/indexes.ts'];

const code = filesUnder('src').filter((path) => path.endsWith('.ts') && !isOfTests(path));
const within = (...folders: string[]) =>
  code.filter((path) => folders.some((folder) => path.startsWith(`src/${folder}/`)));
const breaking = (paths: readonly string[], patterns: readonly RegExp[]) =>
  paths.filter((path) => patterns.some((pattern) => pattern.test(textOf(path))));

describe('the control plane', () => {
  it('changes records of tables in the engine alone', () => {
    const elsewhere = code.filter((path) => !path.startsWith('src/engine/'));
    expect(breaking(elsewhere, [changesRecords])).toEqual([]);
    expect(breaking(within('engine'), [changesRecords]).length).toBeGreaterThan(5);
  });

  it('asks the behaviour of an index, and not its kind', () => {
    const askers = within('engine', 'operations', 'observe', 'physics', 'model', 'storage', 'control').filter(
      (path) => !kinds.some((place) => path.startsWith(place)),
    );
    expect(breaking(askers, asksKind)).toEqual([]);
  });

  it('recognises what it forbids', () => {
    for (const planted of [
      "if (index.kind === 'local') continue;",
      "index?.kind !== 'global'",
      'description.gsis.map(',
      'a.lsis',
    ])
      expect(
        asksKind.some((pattern) => pattern.test(planted)),
        planted,
      ).toBe(true);
    expect(changesRecords.test('await engine.catalogue.change(scope, name, decide)')).toBe(true);
    expect(asksKind.some((pattern) => pattern.test("index.traits.capacity === 'own'"))).toBe(false);
  });
});
