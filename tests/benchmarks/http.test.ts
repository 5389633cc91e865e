import { describe, expect, it } from 'vitest';
import { caseNames, cases } from '../../benchmarks/http/cases.ts';
import { runChild } from '../run-child.ts';
import { measureSmall, program } from './measure-small.ts';

describe('the HTTP benchmark', () => {
  it('runs every case, and every server answers with the same items', async () => {
    const { tables, findings, hash, notes } = await measureSmall('http');
    const ran = tables[0]!.rows.map(([title, server]) => `${server} has ${title}`);
    const wanted = caseNames.flatMap((name) =>
      ['stator', 'bare'].map((server) => ({ server, ...cases[name] })),
    );
    // An operation that is not built yet is passed over, and that is said.
    for (const { server, title, operation } of wanted)
      expect(
        ran.includes(`${server} has ${title}`) ||
          notes.includes(`${server} has no ${operation}: ${title} skipped`),
      ).toBe(true);
    expect(notes.filter((note) => !note.startsWith('stator has no '))).toEqual([]);
    expect(findings.map(({ what }) => what)).toContain('GetItem, stator to bare');
    for (const { value } of findings) expect(value).toBeGreaterThan(0);
    expect(hash).toMatch(/^[0-9a-f]{8}$/);
    expect((await measureSmall('http', 'get')).hash).toBe(hash);
  });

  it('prints what was promised and what came of it', async () => {
    const child = runChild(program, ['http', 'get', '--small']);
    const { code, errors } = await child.ended;
    expect(code, errors).toBe(0);
    const text = child.lines.join('\n');
    expect(text).toMatch(/load [\d.]+ at the start, [\d.]+ at the end/);
    expect(text).toMatch(
      /\| GetItem, stator to bare \| [\d.]+ × \| at least 0.75 × \| (met|\*\*not met\*\*) \|/,
    );
  });

  it.each([
    [['--only', 'nobody'], 'No such server: nobody. There are stator,'],
    [['nothing'], 'No such case: nothing. There are get,'],
  ])('says what there is when asked for something else: %j', async (args, message) => {
    const { code, errors } = await runChild(program, ['http', '--small', ...args]).ended;
    expect(code).not.toBe(0);
    expect(errors).toContain(message);
  });
});
