import { afterEach, beforeEach, expect, it } from 'vitest';
import { openExamination } from '../../src/cli/doctor/examine.ts';
import { watchTables } from '../../src/cli/doctor/watch-tables.ts';
import { Failure } from '../../src/cli/failure.ts';
import { Output } from '../../src/cli/output.ts';
import type { Setting } from '../../src/cli/settings.ts';
import { VirtualClock } from '../../src/index.ts';
import { dismissPatients, type Patient, patient, withTable } from '../doctor/patient.ts';
import { type Door, readOnlyDoor } from '../doctor/read-only-door.ts';

let sick: Patient;
let door: Door;

beforeEach(async () => {
  sick = await patient({ clock: new VirtualClock(Date.UTC(2026, 10, 18, 9)), observe: false });
  await withTable(sick, { TableName: 'Orders' });
  door = await readOnlyDoor(sick.url);
});

afterEach(async () => {
  await door.close();
  await dismissPatients();
});

const flag = <Value>(value: Value): Setting<Value> => ({ value, source: 'flag', name: '' });

const nowMs = () => sick.clock.nowMicros() / 1_000;

function openedExamination(signal = new AbortController().signal) {
  const place = { endpoint: flag(door.url), region: flag('us-east-1') };
  return openExamination(place, { tables: [], minutes: 60, budget: 0 }, {}, signal, nowMs);
}

/** What one watch prints, look by look; each step happens between two looks, and the watch ends after the last. */
async function watched(
  steps: readonly ((output: Output) => unknown)[],
  { json = false } = {},
): Promise<{ readonly out: readonly string[]; readonly err: readonly string[] }> {
  const out: string[] = [''];
  const err: string[] = [''];
  const into = (looks: string[]) => ({
    write(text: string) {
      looks.push((looks.pop() ?? '') + text);
    },
  });
  const output = new Output({ json, out: into(out), err: into(err), now: () => new Date(nowMs()) });
  const stop = new AbortController();
  const examine = await openedExamination(stop.signal);
  let look = 0;
  await watchTables(examine, {
    ...{ output, signal: stop.signal },
    choices: { endpoint: door.url, minutes: 60, columns: 110, quiet: false },
    print: (report) => output.result('doctor', { ...report }, () => 'The whole report.'),
    async pause(signal) {
      expect(signal.aborted).toBe(false);
      await steps[look++]?.(output);
      if (look >= steps.length) stop.abort();
      // Definitions are kept for a minute.
      await sick.pass(61_000);
      out.push('');
      err.push('');
    },
  });
  return { out, err };
}

const recover = () =>
  sick.db.updateContinuousBackups({
    TableName: 'Orders',
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });

it('prints the whole report, then only what has come and gone', async () => {
  const { out, err } = await watched([
    recover,
    () => undefined,
    () => withTable(sick, { TableName: 'Stock' }),
    () => undefined,
  ]);
  expect(out[0]).toBe('The whole report.\n');
  expect(out[1]).toMatch(/^\d\d:\d\d:\d\d UTC {2}gone {5}WARNING {2}no-recovery {2}Orders\n$/);
  expect(out[2]).toBe('');
  expect(out[3]).toMatch(/UTC {2}new\nWARNING {2}alarms-missing {2}Stock\n/);
  expect(out[3]).toMatch(/UTC {2}new\nWARNING {2}no-recovery {2}Stock\n/);
  expect(out[3]).not.toContain('Orders');
  expect(err.join('')).toBe('');
});

it('outlives its server, and tells once that it is gone and once that it is back', async () => {
  const { out, err } = await watched([
    () => {
      door.isShut = true;
    },
    () => undefined,
    async () => {
      door.isShut = false;
      await recover();
    },
    () => undefined,
  ]);
  expect(err[1]).toMatch(/^\S+ Nobody answers at http:\S+: .+ Looking again\.\n$/);
  expect(err[2]).toBe('');
  expect(err[3]).toMatch(/^\S+ The tables can be examined again\.\n$/);
  expect(out.map((text) => text !== '')).toEqual([true, false, false, true, false]);
  expect(out[3]).toContain('gone     WARNING  no-recovery  Orders');
});

it('tells a server that fails in several ways once', async () => {
  const err: string[] = [];
  const ways = ['socket hang up', 'connect ECONNREFUSED', 'read ECONNRESET'];
  const stop = new AbortController();
  const report = await (await openedExamination())();
  let look = 0;
  await watchTables(
    () => {
      const way = ways[look++ - 1];
      return way === undefined
        ? Promise.resolve(report)
        : Promise.reject(new Failure(`Nobody answers: ${way}.`, 'Start it.'));
    },
    {
      output: new Output({
        out: { write() {} },
        err: { write: (text) => err.push(text) },
        now: () => new Date(0),
      }),
      choices: { endpoint: '', minutes: 60, columns: 110, quiet: false },
      signal: stop.signal,
      print: () => {},
      async pause() {
        if (look > ways.length + 1) stop.abort();
      },
    },
  );
  expect(err).toHaveLength(2);
  expect(err[0]).toContain('Nobody answers: socket hang up. Looking again.');
  expect(err[1]).toContain('The tables can be examined again.');
});

it('prints an object for every look with --json', async () => {
  const { out } = await watched([recover, () => undefined], { json: true });
  const ids = out
    .filter((text) => text !== '')
    .map((text) => (JSON.parse(text) as { findings: { id: string }[] }).findings.map(({ id }) => id));
  expect(ids).toEqual([['alarms-missing', 'no-recovery'], ['alarms-missing']]);
});

it('ends when nobody reads on, and at a first look that fails', async () => {
  const { out } = await watched([(output) => output.becomeUnread(), () => undefined]);
  expect(out).toEqual(['The whole report.\n', '']);
  await expect(
    watchTables(() => Promise.reject(new Failure('Nobody answers.')), {
      output: new Output({ out: { write() {} }, err: { write() {} }, now: () => new Date(0) }),
      choices: { endpoint: '', minutes: 60, columns: 110, quiet: false },
      signal: new AbortController().signal,
      print: () => {},
      pause: () => Promise.reject(new Error('It must not wait.')),
    }),
  ).rejects.toThrow('Nobody answers.');
});
