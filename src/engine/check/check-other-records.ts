import { keyAfter } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import { decodeUtf8 } from '../../model/values/utf8.ts';
import {
  alarmHistoryKind,
  alarmKind,
  alarmLeaseKind,
  importErrorKind,
  metricKind,
  scalingActivityKind,
  scalingKind,
  seededOpeningsKind,
} from '../store-keys.ts';
import { decodeSeededOpenings } from '../tables/seeded-openings.ts';
import type { CheckResults } from './check-report.ts';
import type { CheckContext } from './check-table.ts';
import { rangeOfKind } from './known-kinds.ts';
import { pageLimits } from './range-pages.ts';
import { shownError } from './shown.ts';
import { checkLease } from './single-record.ts';

/** Kinds of records that hold a JSON object. The engine checks that they are JSON; `observe` knows their members. */
const jsonKinds: readonly (readonly [kind: number, expected: string])[] = [
  [alarmKind, 'an alarm'],
  [alarmHistoryKind, 'an item of the history of an alarm'],
  [scalingKind, 'a scalable target, a policy or a scheduled action'],
  [scalingActivityKind, 'a scaling activity'],
];

/** Every alarm, scaling record and refused row can be read. Of metrics only that the storage engine can read them. */
export async function checkOtherRecords(context: CheckContext, results: CheckResults): Promise<void> {
  for (const [kind, expected] of jsonKinds)
    await eachValue(context, kind, (key, value) => {
      try {
        checkObject(decodeUtf8(value));
      } catch (error) {
        results.add({ kind: 'other-record', storeKey: toHex(key), expected, found: shownError(error) });
      }
    });
  // One record holds all rows that a step of an import refused, a line each.
  await eachValue(context, importErrorKind, (key, value) => {
    try {
      const lines = decodeUtf8(value).split('\n');
      if (lines.length < 2 || lines.pop() !== '') throw new Error('a text that ends within a line');
      for (const line of lines) checkObject(line);
    } catch (error) {
      const expected = 'rows that an import refused';
      results.add({ kind: 'other-record', storeKey: toHex(key), expected, found: shownError(error) });
    }
  });
  await eachValue(context, metricKind, () => {});
  await eachValue(context, seededOpeningsKind, (key, value) => {
    try {
      decodeSeededOpenings(value, key);
    } catch (error) {
      const expected = 'the number of openings with a seed';
      results.add({ kind: 'other-record', storeKey: toHex(key), expected, found: shownError(error) });
    }
  });
  const reader = await (context.states.isOld ? context.states.next() : context.states.current());
  await checkLease(
    reader,
    alarmLeaseKind,
    { kind: 'other-record', expected: 'the lease of who evaluates alarms' },
    results,
  );
}

function checkObject(text: string): void {
  const found: unknown = JSON.parse(text);
  if (typeof found !== 'object' || found === null || Array.isArray(found))
    throw new Error(`JSON of another kind: ${JSON.stringify(found)}`);
}

async function eachValue(
  { states, stepped }: CheckContext,
  kind: number,
  judge: (key: Uint8Array, value: Uint8Array) => void,
): Promise<void> {
  const { from: start, to } = rangeOfKind(kind);
  for (let from = start; ; ) {
    const reader = await (states.isOld ? states.next() : states.current());
    const { entries, more } = await reader.range({
      ...{ from, to },
      limit: pageLimits.entries,
      maxBytes: pageLimits.bytes,
    });
    for (const { key, value } of entries) judge(key, value);
    const last = entries.at(-1);
    if (!more || last === undefined) return;
    from = keyAfter(last.key);
    await stepped(0);
  }
}
