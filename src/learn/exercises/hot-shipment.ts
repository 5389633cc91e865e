import { appTable } from '../app-table.ts';
import type { Learned } from '../bench.ts';
import type { Exercise } from '../exercise.ts';
import { textOf, typed, typedValue } from '../items.ts';
import type { Lab } from '../lab.ts';
import { throttleNames } from '../ledger.ts';
import { Lesson, mustHold } from '../lesson.ts';
import { numberText } from '../unit-text.ts';
import { kindOf } from '../value-kind.ts';

const file = 'keys.mjs';
const keysMax = 16;
const steps = 150;
const hotEach = 19;
const otherEach = 21;
const others = 200;

export const hotShipment: Exercise = {
  id: 'hot-shipment',
  files: [file],
  topics: ['partitions'],
  async judge(bench) {
    let mine: Readonly<Record<'writeKey' | 'readKeys', Learned>> | undefined;
    await bench.step('The keys are texts, and readers know all of them', async () => {
      mine = await bench.functions(file, ['writeKey', 'readKeys']);
      const keys: unknown = mine.readKeys('S881');
      mustHold(
        Array.isArray(keys) && keys.length > 0 && keys.every((key) => typeof key === 'string'),
        () => ({
          saw: `readKeys('S881') is ${JSON.stringify(keys)}.`,
          rule: 'It returns a list of texts.',
        }),
      );
      const written: unknown = mine.writeKey('S881', 'e-10234');
      mustHold(typeof written === 'string' && written !== '', () => ({
        saw: `writeKey('S881', 'e-10234') is ${typeof written === 'string' ? '""' : kindOf(written)}.`,
        rule: 'It returns a text.',
      }));
      const other: unknown = mine.readKeys('S1');
      mustHold(Array.isArray(other) && !other.some((key) => keys.includes(key)), () => ({
        saw: 'Two shipments share a partition key.',
        rule: 'The shipment belongs into its keys, or every reader reads what belongs to others.',
      }));
      const most = Array.isArray(keys) ? keys.length : 0;
      mustHold(most <= keysMax, () => ({
        saw: `readKeys returns ${numberText(most)} keys: a reader must send ${numberText(most)} queries to see one shipment.`,
        rule: `Sharding divides the writes and multiplies the reads. As many as the rate needs are enough; ${keysMax} is the most here.`,
        topic: 'partitions',
      }));
      return `${most} for a shipment`;
    });
    const lab = await bench.lab({ tables: [appTable({ warm: [12_000, 8_000] })], physics: 'enforce' });
    await bench.step('4,000 events a second, 1,900 of them on one shipment, without a throttle', () =>
      play(lab, mine!),
    );
    await bench.step('Readers find every event', async () => {
      await find(lab, mine!, { shipment: 'S881', events: steps * hotEach });
      const account = lab.ledger.take();
      await find(lab, mine!, { shipment: 'S1000', events: Math.ceil((steps * otherEach) / others) });
      return String(account);
    });
  },
};

/** Reads a shipment as its readers do. */
async function find(
  { caller }: Lab,
  { readKeys }: { readonly readKeys: Learned },
  { shipment, events }: { readonly shipment: string; readonly events: number },
): Promise<void> {
  const found = new Set<string>();
  for (const key of readKeys(shipment) as string[])
    for (let from: object | undefined, first = true; first || from !== undefined; first = false) {
      const { Items = [], LastEvaluatedKey } = (await caller.query({
        TableName: 'app',
        KeyConditionExpression: 'PK = :key',
        ExpressionAttributeValues: { ':key': typedValue(key) },
        ExclusiveStartKey: from,
      })) as { Items?: never[]; LastEvaluatedKey?: object };
      from = LastEvaluatedKey;
      for (const item of Items) found.add(textOf(item, 'SK')!);
    }
  mustHold(found.size === events, () => ({
    saw: `${numberText(events)} events of ${shipment} were written; readers who ask all of readKeys find ${numberText(found.size)}.`,
    rule: 'writeKey must choose among the keys of readKeys, and no others.',
  }));
}

async function play({ db, clock }: Lab, { writeKey }: { readonly writeKey: Learned }): Promise<string> {
  let written = 0;
  let throttled = 0;
  const put = async (shipment: string, event: number) => {
    const eventId = `e-${10_000 + event}`;
    const key: unknown = writeKey(shipment, eventId);
    mustHold(typeof key === 'string' && key !== '', () => ({
      saw: `writeKey('${shipment}', '${eventId}') is ${JSON.stringify(key)}.`,
      rule: 'It returns a text, for every shipment.',
    }));
    const item = { PK: key, SK: eventId };
    await db.putItem({ TableName: 'app', Item: typed(item) }).then(
      () => written++,
      (error: Error) => {
        if (!throttleNames.includes(error.name)) throw error;
        throttled++;
      },
    );
  };
  for (let step = 0; step < steps; step++) {
    for (let i = 0; i < hotEach; i++) await put('S881', step * hotEach + i);
    for (let i = 0; i < otherEach; i++)
      await put(`S${1_000 + ((step * otherEach + i) % others)}`, step * otherEach + i);
    clock.advanceMs(10);
  }
  if (throttled > 0) throw await throttledLesson(db, throttled);
  return `${numberText(written)} written in ${steps / 100} s, 0 throttled`;
}

/** What the verdicts of the physical model say, as `stator physics` would. */
async function throttledLesson(db: Lab['db'], throttled: number): Promise<Lesson> {
  const { verdicts } = await db.physics('app');
  const explanation = verdicts[0]?.explanation ?? '';
  return new Lesson({
    saw: `${numberText(throttled)} writes were throttled. ${explanation.split('. ').slice(0, 2).join('. ')}.`,
    rule: 'One key lies in one partition, which gives 1,000 write units a second. Spread the writes of one second over more keys; several keys may meet in one partition, so leave room.',
    topic: 'partitions',
  });
}
