import { counted } from '../../model/counted.ts';
import { Seeded } from '../../workload/seeded.ts';
import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { numberOf, typed, typedValue } from '../items.ts';
import { startMs } from '../lab.ts';
import { Lesson, mustHold } from '../lesson.ts';

const file = 'sort-key.mjs';
const minuteMs = 60_000;

interface Reading {
  readonly at: number;
  readonly sensor: number;
}

export const sortingText: Exercise = {
  id: 'sorting-text',
  files: [file],
  topics: ['sort-keys'],
  async judge(bench) {
    const readings = draw();
    const lab = await bench.lab({ tables: [appTable()] });
    const keys = new Map<string, Reading>();
    await bench.step('Every reading has a sort key of its own', async () => {
      const { sortKey } = await bench.functions(file, ['sortKey']);
      for (const reading of readings) {
        const key: unknown = sortKey(reading);
        mustHold(typeof key === 'string' && key.length > 0 && key.length <= 1_024, () => ({
          saw: `sortKey(${JSON.stringify(reading)}) is ${JSON.stringify(key)}.`,
          rule: 'A sort key of type S is a text of 1 to 1,024 bytes.',
          topic: 'limits',
        }));
        const other = keys.get(key);
        mustHold(other === undefined, () => ({
          saw: `${JSON.stringify(reading)} and ${JSON.stringify(other)} have the same key ${JSON.stringify(key)}, so that the later one overwrites the earlier one.`,
          rule: 'Partition key and sort key together are the identity of an item. What makes an item unique belongs into them.',
          topic: 'items-and-keys',
        }));
        keys.set(key, reading);
        await lab.db.putItem({ TableName: 'app', Item: typed({ PK: 'HOUSE#1', SK: key, ...reading }) });
      }
      return `${keys.size} readings`;
    });
    await bench.step('They lie by time, and at one moment by sensor', async () => {
      const { Items = [] } = await lab.db.query({
        TableName: 'app',
        KeyConditionExpression: 'PK = :house',
        ExpressionAttributeValues: { ':house': typedValue('HOUSE#1') },
      });
      const found = Items.map((item) => ({ at: numberOf(item, 'at')!, sensor: numberOf(item, 'sensor')! }));
      for (const [i, next] of found.entries()) {
        const before = found[i - 1];
        if (before === undefined || before.at < next.at) continue;
        if (before.at === next.at && before.sensor < next.sensor) continue;
        throw new Lesson({
          saw: `${shown(before, keys)} comes before ${shown(next, keys)}.`,
          rule:
            before.at === next.at
              ? `'10' sorts before '9', because texts are compared from the left. Give numbers a fixed width.`
              : 'Texts are compared from the left: put the time first, in a form that begins with the year and always has the same width.',
          topic: 'sort-keys',
        });
      }
      return undefined;
    });
    const { bounds } = await functionsOf(bench);
    const ranges: [string, number, number][] = [
      [
        'A range of time finds its readings, both ends included',
        startMs + 7 * minuteMs,
        startMs + 31 * minuteMs,
      ],
      ['One hour', startMs + 60 * minuteMs, startMs + 120 * minuteMs - 1],
      ['One moment', startMs + 12 * minuteMs, startMs + 12 * minuteMs],
    ];
    for (const [title, from, to] of ranges)
      await bench.step(title, async () => {
        const pair: unknown = bounds(from, to);
        mustHold(
          Array.isArray(pair) && pair.length === 2 && pair.every((one) => typeof one === 'string'),
          () => ({
            saw: `bounds returned ${JSON.stringify(pair)}.`,
            rule: 'It returns two texts, [low, high].',
          }),
        );
        const [low, high] = pair as [string, string];
        mustHold(low <= high, () => ({
          saw: `The lower bound ${JSON.stringify(low)} is greater than the upper one ${JSON.stringify(high)}.`,
          rule: 'BETWEEN with bounds the wrong way round is refused with a ValidationException.',
          topic: 'sort-keys',
        }));
        const { Items = [] } = (await lab.caller.query({
          TableName: 'app',
          KeyConditionExpression: 'PK = :house AND SK BETWEEN :low AND :high',
          ExpressionAttributeValues: {
            ':house': typedValue('HOUSE#1'),
            ':low': typedValue(low),
            ':high': typedValue(high),
          },
        })) as { Items?: never[] };
        const wanted = readings.filter(({ at }) => from <= at && at <= to);
        const found = Items.map((item) => ({ at: numberOf(item, 'at')!, sensor: numberOf(item, 'sensor')! }));
        const missing = wanted.filter((one) => !found.some((other) => isSame(one, other)));
        const extra = found.filter(({ at }) => at < from || at > to);
        mustHold(missing.length === 0, () => ({
          saw: `${counted(missing.length, 'reading')} of ${wanted.length} ${missing.length === 1 ? 'is' : 'are'} not between ${JSON.stringify(low)} and ${JSON.stringify(high)}: ${shown(missing[0]!, keys)}.`,
          rule: 'A text that goes on is greater than its beginning. The upper bound must be greater than the last moment with any sensor behind it.',
          topic: 'sort-keys',
        }));
        mustHold(extra.length === 0, () => ({
          saw: `${counted(extra.length, 'reading')} outside of the range came back: ${shown(extra[0]!, keys)}.`,
          rule: 'Bounds that are too wide read items, and cost, that nobody asked for.',
          topic: 'sort-keys',
        }));
        return String(lab.ledger.take());
      });
  },
};

async function functionsOf(bench: Parameters<Exercise['judge']>[0]) {
  let found: Awaited<ReturnType<typeof bench.functions<'bounds'>>> | undefined;
  await bench.step('bounds is a function', async () => {
    found = await bench.functions(file, ['bounds']);
    return undefined;
  });
  return found!;
}

function isSame(a: Reading, b: Reading): boolean {
  return a.at === b.at && a.sensor === b.sensor;
}

function shown(reading: Reading, keys: ReadonlyMap<string, Reading>): string {
  const key = [...keys].find(([, one]) => isSame(one, reading))?.[0];
  return `sensor ${reading.sensor} at ${new Date(reading.at).toISOString()} (key ${JSON.stringify(key)})`;
}

/** Several sensors at each of the drawn moments, over three hours; some days before and a year later too. */
function draw(): Reading[] {
  const random = new Seeded(3, 'readings');
  const list: Reading[] = [];
  for (let minute = 0; minute < 180; minute += 2)
    for (const sensor of [1, 2, 9, 10, 11, 100 + random.below(20)])
      list.push({ at: startMs + minute * minuteMs, sensor });
  // Within one second, the later one by the lower sensor.
  list.push(
    { at: startMs + 31 * minuteMs + 1, sensor: 11 },
    { at: startMs + 31 * minuteMs + 250, sensor: 9 },
  );
  // The highest sensor at the very end of a range.
  for (const minute of [12, 31]) list.push({ at: startMs + minute * minuteMs, sensor: 120 });
  for (const days of [-200, -3, 1, 400])
    list.push({ at: startMs + days * 86_400_000 + 12 * minuteMs, sensor: 7 });
  return list;
}
