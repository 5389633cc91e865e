import { describe, expect, inject, it } from 'vitest';
import type { Result } from '../../benchmarks/compare.ts';
import type { StorageReport } from '../../benchmarks/storage/storage-suite.ts';
import { runChild } from '../run-child.ts';

const program = new URL('../../benchmarks/run.ts', import.meta.url);

/** Benchmarks that nobody runs stop working. Here they run tiny; what they measure then means nothing. */
describe('the storage benchmark', () => {
  it('runs, and both sides of every comparison read the same', async () => {
    const first = await measure('--json');
    const report = JSON.parse(first.join('\n')) as StorageReport;
    expect(report.notes).toEqual([]);
    for (const store of ['memory', 'lmdb', 'postgres'])
      expect(report.results.filter((result) => result.store === store).length).toBeGreaterThan(3);
    for (const result of report.results) {
      expect(result.ours, describeResult(result)).toBeGreaterThan(0);
      expect(result.raw, describeResult(result)).toBeGreaterThan(0);
      expect(result.hash, describeResult(result)).not.toBe('00000000');
    }
    expect(report.forks).toHaveLength(2);
  });

  it('does the same work from the same seed, and prints a table', async () => {
    const hashes = async () =>
      (await measure('--stores', 'memory')).flatMap((line) => /\| ([0-9a-f]{8}) \|$/.exec(line)?.[1] ?? []);
    const first = await hashes();
    expect(first).toHaveLength(12);
    expect(await hashes()).toEqual(first);
  });

  it('says how it is used when it is not', async () => {
    const child = runChild(program, ['nothing']);
    const { code, errors } = await child.ended;
    expect(code).toBe(2);
    expect(errors).toContain('npm run bench -- storage');
  });
});

async function measure(...options: string[]): Promise<readonly string[]> {
  const child = runChild(program, ['storage', '--small', '--postgres', inject('postgresUrl'), ...options]);
  const { code, errors } = await child.ended;
  expect(code, errors).toBe(0);
  return child.lines;
}

function describeResult({ store, operation, items }: Result): string {
  return `${store}, ${operation}, ${items} items`;
}
