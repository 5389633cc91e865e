import { capacityLimits } from '../../model/limits.ts';
import { appTable } from '../app-table.ts';
import type { Bench } from '../bench.ts';
import type { Exercise } from '../exercise.ts';
import { typed } from '../items.ts';
import { throttleNames } from '../ledger.ts';
import { mustHold } from '../lesson.ts';
import { numberText } from '../unit-text.ts';

const file = 'diagnosis.json';
const causes = ['under-provisioned', 'hot-key', 'hot-index', 'retry-storm'];
const fixes = ['raise-capacity', 'shard-key', 'remove-index', 'back-off'];
const hotKey = 'SHIPMENT#881';
const shardsMax = 12;
/** Events are 10 KB here, so that few requests make many units. */
const unitsEach = 10;
const seconds = 4;
const hotEach = 190;
const otherEach = 130;
const warmUnits = 8_000;

interface Diagnosis {
  readonly cause?: unknown;
  readonly key?: unknown;
  readonly fix?: unknown;
  readonly shards?: unknown;
}

/** How the incident's seconds went under a fix. */
export interface Played {
  readonly written: number;
  readonly throttled: number;
  readonly reasons: readonly string[];
  readonly verdict: string;
}

export const fortyPercent: Exercise = {
  id: 'forty-percent',
  files: [file],
  topics: ['observability', 'partitions'],
  async judge(bench) {
    let told: Diagnosis = {};
    await bench.step('The diagnosis is complete', async () => {
      told = await bench.fields(file);
      for (const [name, value, words] of [
        ['cause', told.cause, causes],
        ['fix', told.fix, fixes],
      ] as const)
        mustHold(typeof value === 'string' && words.includes(value), () => ({
          saw: `${name} is ${JSON.stringify(value)}.`,
          rule: `It is one of ${words.join(', ')}.`,
        }));
      return undefined;
    });
    await bench.step('The fix holds when the minute comes again', async () => {
      const { shards } = told;
      if (told.fix === 'shard-key')
        mustHold(
          typeof shards === 'number' && Number.isInteger(shards) && shards > 1 && shards <= shardsMax,
          () => ({
            saw: `shards is ${JSON.stringify(shards)}.`,
            rule: `It is a whole number from 2 to ${shardsMax}: each shard is one more query for every reader.`,
            topic: 'partitions',
          }),
        );
      const warm = told.fix === 'raise-capacity' ? warmUnits * 2 : warmUnits;
      const played = await play(bench, { warm, shards: told.fix === 'shard-key' ? (shards as number) : 1 });
      const asked = seconds * (hotEach + otherEach);
      mustHold(played.throttled === 0, () => ({
        saw: `With ${String(told.fix)}${told.fix === 'shard-key' ? ` (${String(shards)} shards)` : ''}, ${numberText(played.throttled)} of ${numberText(asked)} writes were throttled again. ${played.verdict}`,
        rule:
          told.fix === 'raise-capacity'
            ? 'One key lies in one partition, and a partition gives 1,000 write units a second whatever the table has. Throttled below half of the capacity is its signature.'
            : told.fix === 'shard-key'
              ? 'Several shards may meet in one partition, which others use too. Take more than the units divided by 1,000.'
              : 'This leaves the key as hot as it was.',
        topic: 'partitions',
      }));
      return `${numberText(played.written)} written, 0 throttled`;
    });
    await bench.step('The cause, for the report', () => {
      mustHold(told.cause === 'hot-key' && told.key === hotKey, () => ({
        saw: `The report names ${String(told.cause)} and the key ${JSON.stringify(told.key)}.`,
        rule: 'The table used less than half of its capacity, one key asked for more than a partition gives, and the reason of the throttles was the key range of the table.',
        topic: 'observability',
      }));
      return undefined;
    });
  },
};

/** Plays the seconds of the incident. */
async function play(
  bench: Bench,
  { warm, shards }: { readonly warm: number; readonly shards: number },
): Promise<Played> {
  const lab = await bench.lab({ tables: [appTable({ warm: [12_000, warm] })], physics: 'enforce' });
  const note = 'x'.repeat(unitsEach * 1024 - 100);
  const reasons = new Set<string>();
  let written = 0;
  let throttled = 0;
  const put = async (PK: string, number: number) => {
    await lab.db.putItem({ TableName: 'app', Item: typed({ PK, SK: `E#${number}`, note }) }).then(
      () => written++,
      (error: Error & { throttlingReasons?: { reason?: string }[] }) => {
        if (!throttleNames.includes(error.name)) throw error;
        throttled++;
        for (const { reason = '' } of error.throttlingReasons ?? []) reasons.add(reason);
      },
    );
  };
  for (let step = 0; step < seconds * 10; step++) {
    for (let i = 0; i < hotEach / 10; i++) {
      const number = (step * hotEach) / 10 + i;
      await put(shards === 1 ? hotKey : `${hotKey}#${number % shards}`, number);
    }
    for (let i = 0; i < otherEach / 10; i++) {
      const number = (step * otherEach) / 10 + i;
      await put(`SHIPMENT#${1_000 + (number % 200)}`, number);
    }
    lab.clock.advanceMs(100);
  }
  const { verdicts } = await lab.db.physics('app');
  const verdict = `${verdicts[0]?.explanation.split('. ').slice(0, 2).join('. ') ?? ''}.`;
  return { written, throttled, reasons: [...reasons], verdict };
}

/** The evidence that the learner gets, as it is measured. */
export async function evidenceOfFortyPercent(bench: Bench): Promise<object> {
  const { written, throttled, reasons } = await play(bench, { warm: warmUnits, shards: 1 });
  return {
    recorded: `${seconds} seconds from 09:04:00`,
    table: {
      writeUnitsPossibleEachSecond: warmUnits,
      writeUnitsUsedEachSecond: Math.round((written * unitsEach) / seconds),
      writeThrottleEvents: throttled,
      reasonOfThrottles: reasons,
      globalIndexes: 0,
    },
    requests: { firstAttempts: seconds * (hotEach + otherEach), retries: 0 },
    busiestKeys: [
      { key: hotKey, writeUnitsAskedEachSecond: hotEach * unitsEach },
      { key: 'SHIPMENT#1000', writeUnitsAskedEachSecond: Math.round((otherEach * unitsEach) / 200) },
      { key: 'SHIPMENT#1001', writeUnitsAskedEachSecond: Math.round((otherEach * unitsEach) / 200) },
    ],
    onePartitionGives: {
      writeUnitsEachSecond: capacityLimits.partitionWriteUnitsPerSecondMax,
      readUnitsEachSecond: capacityLimits.partitionReadUnitsPerSecondMax,
    },
  };
}
