import type { CompiledDesign, Model, ReadPattern, Request, Values } from '../../design/index.ts';
import * as design from '../../design/index.ts';
import type { CreateTableInput } from '../../index.ts';
import { Population } from '../../workload/population.ts';
import { sampleOf } from '../../workload/scale-model.ts';
import type { Bench } from '../bench.ts';
import type { Caller, ItemOperation } from '../caller.ts';
import type { Exercise } from '../exercise.ts';
import { startMs } from '../lab.ts';
import { Lesson } from '../lesson.ts';

interface Wanted {
  readonly story: string;
  readonly entity: string;
  readonly result: 'one' | 'list';
  readonly by?: string;
  readonly where?: readonly [attribute: string, value: string];
  readonly range?: string;
  readonly order?: readonly [attribute: string, direction: 'asc' | 'desc'];
  readonly page?: number;
  readonly peak: number;
}

const wanted: Readonly<Record<string, Wanted>> = {
  R1: { story: 'a patient by number', entity: 'Patient', result: 'one', by: 'patientId', peak: 20 },
  R2: {
    story: 'appointments of a doctor between two times, in order',
    ...{ entity: 'Appointment', result: 'list', by: 'doctorId', range: 'startsAt', peak: 10 },
    order: ['startsAt', 'asc'],
  },
  R3: {
    story: 'the last five visits of a patient, newest first',
    ...{ entity: 'Appointment', result: 'list', by: 'patientId', page: 5, peak: 20 },
    order: ['startsAt', 'desc'],
  },
  R4: {
    story: 'unpaid bills of all patients, oldest first',
    ...{ entity: 'Bill', result: 'list', where: ['state', 'UNPAID'], page: 50, peak: 1 },
    order: ['issuedAt', 'asc'],
  },
};

const file = 'patterns.mjs';

export const patternList: Exercise = {
  id: 'pattern-list',
  files: [file],
  topics: ['method'],
  async judge(bench) {
    let model: Model | undefined;
    await bench.step('The list is a model', async () => {
      const { clinic } = await bench.functions(file, ['clinic']);
      model = clinic(design) as Model | undefined;
      if (!Array.isArray(model?.reads))
        throw new Lesson({
          saw: 'clinic does not return a model.',
          rule: 'It must end with return model(…), as it did when you began.',
        });
      return undefined;
    });
    for (const [name, asked] of Object.entries(wanted))
      await bench.step(`${name}: ${asked.story}`, () => {
        const given = model!.reads.find((read) => read.name === name);
        if (given === undefined)
          throw new Lesson({
            saw: `Your list has ${model!.reads.map((read) => read.name).join(', ')}, but no ${name}.`,
            rule: 'A question that is not on the list gets no key, and becomes a Scan after the launch.',
            topic: 'method',
          });
        const problem = differenceOf(given, asked);
        if (problem !== undefined)
          throw new Lesson({ saw: `${name}: ${problem.saw}`, rule: problem.rule, topic: 'method' });
        return undefined;
      });
    await bench.step('Nothing else is asked', () => {
      const others = model!.reads.map((read) => read.name).filter((name) => !(name in wanted));
      if (others.length > 0)
        throw new Lesson({
          saw: `Your list has ${others.join(', ')} as well, and the story asks four questions.`,
          rule: 'Every question may cost a key or an index, written with each item. Leave out what nobody asks.',
          topic: 'method',
        });
      return undefined;
    });
    await bench.step('A table is derived from it and answers all four', () => play(bench, model!));
  },
};

function differenceOf(
  given: ReadPattern,
  asked: Wanted,
): { readonly saw: string; readonly rule: string } | undefined {
  if (given.entities.join() !== asked.entity)
    return { saw: `reads ${given.entities.join(', ')}.`, rule: `The story asks for ${asked.story}.` };
  if (given.result !== asked.result)
    return {
      saw: `is a ${given.result === 'one' ? 'get' : 'list'}.`,
      rule: 'get is for one item by its identity, list for all else.',
    };
  if (given.by.join() !== (asked.by ?? ''))
    return {
      saw: `the caller must know ${given.by.length === 0 ? 'nothing' : given.by.join(' and ')}.`,
      rule:
        asked.by === undefined
          ? 'The caller of this question knows nothing: what never varies belongs into where, not into by.'
          : `Whoever asks for ${asked.story} knows ${asked.by}, and nothing else.`,
    };
  const [predicate] = given.where;
  if (asked.where !== undefined) {
    const [attribute, value] = asked.where;
    const fits =
      predicate?.kind === 'equals' && predicate.attribute === attribute && predicate.value === value;
    if (!fits)
      return {
        saw:
          predicate === undefined
            ? 'it reads all bills, paid ones too.'
            : `its where is ${whereText(given)}, and the unpaid bills have ${attribute} = "${value}".`,
        rule: `What is the same in every call is a fixed predicate: where: { ${attribute}: '${value}' }. It can make an index sparse.`,
      };
  } else if (predicate !== undefined)
    return { saw: 'it has a where.', rule: 'The story does not restrict this question.' };
  if ((given.range?.attribute ?? '') !== (asked.range ?? ''))
    return asked.range === undefined
      ? { saw: 'it has a range.', rule: 'The story gives no bounds here; an order and a page are enough.' }
      : { saw: 'it has no range.', rule: `The caller gives two times: range: '${asked.range}'.` };
  const [order] = given.order;
  const wantedOrder = asked.order;
  if (wantedOrder !== undefined) {
    if (order?.attribute !== wantedOrder[0] || order.direction !== wantedOrder[1])
      return {
        saw: order === undefined ? 'it has no order.' : `its order is ${order.attribute} ${order.direction}.`,
        rule: `The story wants ${asked.story}: the sort key must deliver that order, since nothing sorts afterwards.`,
      };
  }
  if (asked.page !== undefined && given.page !== asked.page)
    return {
      saw: `its page is ${given.page === undefined ? 'not given' : JSON.stringify(given.page)}.`,
      rule: `A page of ${asked.page} reads ${asked.page} items, whatever is behind them. The size of the page is part of the question.`,
    };
  if (given.rate.peak !== asked.peak)
    return {
      saw: `its peak is ${given.rate.peak} a second.`,
      rule: `The story says ${asked.peak}. Rates decide whether a key gets too hot.`,
    };
  return undefined;
}

function whereText({ where }: ReadPattern): string {
  return where
    .map((one) =>
      one.kind === 'equals' ? `${one.attribute} = ${JSON.stringify(one.value)}` : 'another predicate',
    )
    .join(' and ');
}

/** Derives, loads a sample, and asks each question once. */
async function play(bench: Bench, model: Model): Promise<string> {
  const derived = derive(model);
  const compiled = design.compile(model, derived);
  const lab = await bench.lab({
    tables: design.createTableRequests(model, derived) as unknown as readonly CreateTableInput[],
  });
  const population = new Population(sampleOf(model, 300), { seed: 1, era: { nowMs: startMs, days: 30 } });
  population.fill();
  for (const [entity, { instances }] of population.kinds)
    for (const values of instances) {
      if (values === undefined) continue;
      const { table, items } = compiled.itemsOf(entity, values);
      for (const Item of items) await lab.db.putItem({ TableName: table, Item: Item as never });
    }
  for (const read of model.reads) await ask(compiled, read, { population, caller: lab.caller });
  const account = lab.ledger.take();
  const keys = derived.tables.flatMap((table) => table.placements).length;
  const indexes = new Set(derived.tables.flatMap((table) => table.placements).map(({ slot }) => slot)).size;
  return `${account}; ${keys} keys in the table and ${indexes - 1} index`;
}

async function ask(
  compiled: CompiledDesign,
  read: ReadPattern,
  { population, caller }: { population: Population; caller: Caller },
): Promise<void> {
  const some = population.kinds.get(read.entities[0]!)!.instances.find((values) => values !== undefined)!;
  const given: Values = Object.fromEntries(read.by.map((name) => [name, some[name]!]));
  const bounds =
    read.range === undefined ? {} : { from: '2000-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' };
  const send = ({ operation, input }: Request) =>
    caller[(operation.charAt(0).toLowerCase() + operation.slice(1)) as ItemOperation](input);
  await design.run(compiled.read(read.name, given, bounds), send);
}

function derive(model: Model) {
  try {
    return design.derive(model);
  } catch (error) {
    if (!(error instanceof design.ModelError)) throw error;
    const [trouble] = error.troubles;
    throw new Lesson({
      saw: `No table serves this list: ${trouble?.where}: ${trouble?.message}`,
      rule: trouble?.fix ?? trouble?.rule ?? '',
      topic: 'method',
    });
  }
}
