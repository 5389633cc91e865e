import { counted } from '../../model/counted.ts';
import type { Halt } from '../caller.ts';
import type { Exercise } from '../exercise.ts';
import { Lesson, mustHold } from '../lesson.ts';

const file = 'consumer.mjs';
const size = 100;
const callsMax = 50;
const badMomentMs = 5_000;

interface Rec {
  readonly id: number;
}

export const poisonRecord: Exercise = {
  id: 'poison-record',
  files: [file],
  topics: ['streams', 'observability'],
  async judge(bench) {
    const scenes: readonly { title: string; poison: readonly number[]; badAt: readonly number[] }[] = [
      { title: 'A batch without trouble', poison: [], badAt: [] },
      { title: 'One poison record', poison: [37], badAt: [] },
      { title: 'Two poison records, the last one among them', poison: [12, 99], badAt: [] },
      { title: 'A bad moment of the world', poison: [], badAt: [1] },
      { title: 'A poison record and a bad moment', poison: [60], badAt: [2, 9] },
    ];
    for (const { title, poison, badAt } of scenes)
      await bench.step(title, async () => {
        const { consume } = await bench.functions(file, ['consume']);
        const world = new World(poison, badAt, bench.halt);
        const records = Array.from({ length: size }, (_, id) => ({ id }));
        await consume(records, { handle: world.handle, bury: world.bury, pause: world.pause });
        judge(world, poison);
        return `${counted(world.calls, 'call')} of handle${world.buried.length === 0 ? '' : `, buried ${world.buried.join(' and ')}`}`;
      });
  },
};

function judge({ handled, buried, calls }: World, poison: readonly number[]): void {
  const innocent = buried.filter((id) => !poison.includes(id));
  mustHold(innocent.length === 0, () => ({
    saw: `Record ${innocent[0]} was buried, and nothing is wrong with it.`,
    rule: 'An error that is retryable says nothing about the records: wait and try the same part again. Only a part of one record that fails for good is buried.',
    topic: 'streams',
  }));
  const forgotten = poison.filter((id) => !buried.includes(id));
  mustHold(forgotten.length === 0, () => ({
    saw: `Record ${forgotten[0]} cannot be handled, and it was not buried: nobody will ever hear of it.`,
    rule: 'What cannot be handled is put aside where people look, with its cause.',
    topic: 'streams',
  }));
  const lost = Array.from({ length: size }, (_, id) => id).filter(
    (id) => !poison.includes(id) && !handled.includes(id),
  );
  mustHold(lost.length === 0, () => ({
    saw: `${lost.length} good records were never handled, such as ${lost[0]}.`,
    rule: 'handle takes all or nothing: when a part fails, its good records have not been handled either.',
    topic: 'streams',
  }));
  const twice = handled.find((id, at) => handled.indexOf(id) !== at);
  mustHold(twice === undefined, () => ({
    saw: `Record ${twice} was handled twice.`,
    rule: 'Go on behind the part that was done.',
  }));
  const late = handled.find((id, at) => at > 0 && id < handled[at - 1]!);
  mustHold(late === undefined, () => ({
    saw: `Record ${late} was handled after a later one.`,
    rule: 'Records of one item have an order: the first half first, and then the second.',
    topic: 'streams',
  }));
  mustHold(calls <= callsMax, () => ({
    saw: `handle was called ${calls} times for ${size} records.`,
    rule: 'One call for each record gives up the batch. Cut a part in two when it fails: a bad record among 100 is found in about seven steps.',
    topic: 'streams',
  }));
}

/** Whoever handles the records, with its moods. */
class World {
  readonly handled: number[] = [];
  readonly buried: number[] = [];
  calls = 0;
  readonly #poison: readonly number[];
  readonly #badAt: readonly number[];
  #badUntilMs = 0;
  #nowMs = 0;

  readonly #halt: Halt;

  constructor(poison: readonly number[], badAt: readonly number[], halt: Halt) {
    this.#halt = halt;
    this.#poison = poison;
    this.#badAt = badAt;
  }

  readonly handle = async (part: unknown): Promise<void> => {
    if (++this.calls > 1_000)
      return this.#halt(
        new Lesson({
          saw: `handle was called 1,000 times for ${size} records, and there was no end.`,
          rule:
            this.#nowMs < this.#badUntilMs
              ? 'A bad moment takes its time: await pause(ms) before the same part is tried again, longer each time.'
              : 'A record that can never be handled does not get better. After a failure that is not retryable, make the part smaller; put a single one aside.',
          topic: 'streams',
        }),
      );
    mustHold(Array.isArray(part) && part.length > 0, () => ({
      saw: `handle was called with ${JSON.stringify(part)}.`,
      rule: 'It takes a list of records.',
    }));
    if (this.#badAt.includes(this.calls)) this.#badUntilMs = this.#nowMs + badMomentMs - 2_000;
    if (this.#nowMs < this.#badUntilMs)
      throw Object.assign(new Error('The service behind is not available'), { retryable: true });
    const records = part as Rec[];
    const bad = records.find(({ id }) => this.#poison.includes(id));
    if (bad !== undefined) throw Object.assign(new Error('A record cannot be read'), { retryable: false });
    this.handled.push(...records.map(({ id }) => id));
  };

  readonly bury = async (record: unknown): Promise<void> => {
    const id = (record as Rec | undefined)?.id;
    mustHold(typeof id === 'number', () => ({
      saw: `bury was called with ${JSON.stringify(record)}.`,
      rule: 'It takes one record.',
    }));
    this.buried.push(id);
  };

  readonly pause = async (ms: unknown): Promise<void> => {
    this.#nowMs += typeof ms === 'number' && ms > 0 ? ms : 0;
  };
}
