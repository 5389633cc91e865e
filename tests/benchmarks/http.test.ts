import { describe, expect, it } from 'vitest';
import type { HttpReport } from '../../benchmarks/http/http-suite.ts';
import { runChild } from '../run-child.ts';

const program = new URL('../../benchmarks/run.ts', import.meta.url);

describe('the HTTP benchmark', () => {
  it('runs, and every server answers with the same items', async () => {
    const first = await measure();
    expect(first.notes).toEqual([]);
    expect(first.results.map(({ name, operation }) => `${name} ${operation}`)).toEqual([
      'stator GetItem',
      'bare GetItem',
      'stator PutItem',
      'bare PutItem',
      'stator UpdateItem',
      'bare UpdateItem',
    ]);
    for (const { operationsPerSecond, p50, p99, toBare } of first.results) {
      expect(operationsPerSecond).toBeGreaterThan(0);
      expect(toBare).toBeGreaterThan(0);
      expect(p50).toBeGreaterThan(0);
      expect(p99).toBeGreaterThanOrEqual(p50);
    }
    for (const { operationsPerSecond } of first.inProcess) expect(operationsPerSecond).toBeGreaterThan(0);
    expect(first.starts.map(({ name }) => name)).toEqual(['stator', 'bare']);
    expect(first.hash).toMatch(/^[0-9a-f]{8}$/);
    expect((await measure()).hash).toBe(first.hash);
  });

  it('names the servers there are when asked for another', async () => {
    const child = runChild(program, ['http', '--only', 'nobody']);
    const { code, errors } = await child.ended;
    expect(code).not.toBe(0);
    expect(errors).toContain('No such server: nobody. There are stator,');
  });
});

async function measure(): Promise<HttpReport> {
  const child = runChild(program, ['http', '--small', '--json']);
  const { code, errors } = await child.ended;
  expect(code, errors).toBe(0);
  return JSON.parse(child.lines.join('\n')) as HttpReport;
}
