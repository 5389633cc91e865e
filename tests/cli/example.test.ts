import { describe, expect, it } from 'vitest';
import { exampleNames, loadExample } from '../../src/cli/example.ts';
import { Stator } from '../../src/index.ts';

/** Calls that the traffic makes before a test has seen enough. */
const callsSeen = 12;

describe.each(exampleNames)('the example %s', (name) => {
  it('has tables with items, and patterns that are called and answered', async () => {
    const stop = new AbortController();
    let calls = 0;
    const refused: string[] = [];
    await using db = Stator.inMemory({
      seed: 1,
      observer: {
        request({ outcome }) {
          if (outcome.kind === 'refused' && !/Conditional|TransactionCanceled/.test(outcome.error.name))
            refused.push(outcome.error.name);
          if (playing && ++calls >= callsSeen) stop.abort();
        },
      },
    });
    let playing = false;
    const example = await loadExample(db, name, new AbortController().signal);
    expect(example.items).toBeGreaterThan(100);
    const { TableNames } = await db.listTables();
    expect(TableNames).toEqual([...example.tables].sort());
    playing = true;
    await example.play(stop.signal);
    expect(calls).toBeGreaterThanOrEqual(callsSeen);
    expect(refused).toEqual([]);
    if (name !== 'parcels') return;
    // Tables that exist are left alone.
    const again = await loadExample(db, name, new AbortController().signal);
    expect(again.items).toBe(0);
  });
});
