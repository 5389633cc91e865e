import { expect } from 'vitest';
import type { Report } from '../../benchmarks/suite.ts';
import { runChild } from '../run-child.ts';

export const program = new URL('../../benchmarks/run.ts', import.meta.url);

/** Runs a suite tiny, and answers its report. What it measures then means nothing. */
export async function measureSmall(...words: string[]): Promise<Report> {
  const child = runChild(program, [...words, '--small', '--json']);
  const { code, errors } = await child.ended;
  expect(code, errors).toBe(0);
  return JSON.parse(child.lines.join('\n')) as Report;
}

/** So many findings, each with a figure. */
export function expectMeasured({ findings }: Pick<Report, 'findings'>, count: number): void {
  expect(findings).toHaveLength(count);
  for (const { what, value } of findings) expect(value, what).toBeGreaterThan(0);
}
