import { Stator, VirtualClock } from '../../src/index.ts';
import { bar, count, line, type Picture, paint, textAt } from './paper.ts';

const [rate, seconds, stepMs] = [1_900, 4, 100] as const;

interface Load {
  readonly title: string;
  /** Units written and refused in each tenth of a second. */
  readonly steps: readonly { written: number; refused: number }[];
  readonly firstRefusalMs: number | undefined;
}

/** Writes 1,900 units a second over some keys of a table that could take 8,000, with the limits of partitions acted out. */
async function load(title: string, keys: number): Promise<Load> {
  const clock = new VirtualClock(Date.parse('2026-11-18T09:00:00Z'));
  const db = await Stator.open({ clock, physics: 'enforce', seed: 1 });
  await db.createTable({
    TableName: 'Tracking',
    BillingMode: 'PAY_PER_REQUEST',
    WarmThroughput: { ReadUnitsPerSecond: 12_000, WriteUnitsPerSecond: 8_000 },
    AttributeDefinitions: ['PK', 'SK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ],
  });
  clock.advanceMs(60_000);
  const steps: { written: number; refused: number }[] = [];
  let firstRefusalMs: number | undefined;
  let event = 0;
  for (let ms = 0; ms < seconds * 1000; ms += 10) {
    if (ms % stepMs === 0) steps.push({ written: 0, refused: 0 });
    for (let i = 0; i < rate / 100; i++, event++) {
      const Item = { PK: { S: `SHIPMENT#881#${event % keys}` }, SK: { S: `EVENT#${event}` } };
      await db.putItem({ TableName: 'Tracking', Item }).then(
        () => steps.at(-1)!.written++,
        () => {
          firstRefusalMs ??= ms;
          steps.at(-1)!.refused++;
        },
      );
    }
    clock.advanceMs(10);
  }
  await db.close();
  return { title, steps, firstRefusalMs };
}

/** One key, two keys, ten keys, with the same load. */
export async function partitionsUnderLoad(): Promise<Picture> {
  const loads = [await load('one key', 1), await load('two keys', 2), await load('ten keys', 10)];
  const [panel, top, bottom] = [240, 62, 220];
  const y = (units: number) => bottom - (units / 2_200) * (bottom - top);
  const parts: string[] = [];
  for (const [at, { title, steps, firstRefusalMs }] of loads.entries()) {
    const left = 58 + at * (panel + 18);
    const width = (panel - 20) / steps.length;
    parts.push(textAt(left, 26, 't t600', title));
    const refused = steps.reduce((sum, step) => sum + step.refused, 0);
    const total = rate * seconds;
    if (firstRefusalMs === undefined) parts.push(textAt(left, 44, 't s d', 'never throttled'));
    else {
      const share = Math.round((refused / total) * 100);
      parts.push(
        paint(left, 44, 't s', 'e1', `throttled after ${firstRefusalMs / 1000} s; ${share} % refused`),
      );
    }
    for (const [i, step] of steps.entries()) {
      const [x, written] = [left + i * width, (step.written * 1000) / stepMs];
      const both = written + (step.refused * 1000) / stepMs;
      parts.push(bar(x, y(written), width - 1, bottom - y(written), 'e0'));
      if (step.refused > 0) parts.push(bar(x, y(both), width - 1, y(written) - y(both), 'e1', 0.75));
    }
    parts.push(
      line(left, y(1_000), left + panel - 20, y(1_000), 'text', 1, '4 3'),
      line(left, bottom, left + panel - 20, bottom, 'dim'),
    );
    for (const second of [0, 1, 2, 3, 4])
      parts.push(
        textAt(left + (second / seconds) * (panel - 20), bottom + 17, 't s d', `${second} s`, 'middle'),
      );
  }
  for (const units of [1_000, 1_900]) parts.push(textAt(50, y(units) + 4, 't s d', count(units), 'end'));
  parts.push(bar(58, 252, 10, 10, 'e0'), textAt(74, 261, 't s', 'written'));
  parts.push(bar(140, 252, 10, 10, 'e1', 0.75), textAt(156, 261, 't s', 'refused'));
  parts.push(
    line(224, 257, 250, 257, 'text', 1, '4 3'),
    textAt(258, 261, 't s', 'what one partition gives; the table could take 8,000'),
  );
  parts.push(textAt(50, 44, 't s d', 'units/s', 'end'));
  return {
    width: 58 + 3 * (panel + 14),
    height: 278,
    title: '1,900 write units a second on one, two and ten partition keys',
    body: parts.join(''),
  };
}
