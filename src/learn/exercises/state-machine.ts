import { counted } from '../../model/counted.ts';
import { appTable } from '../app-table.ts';
import { type Caller, operations } from '../caller.ts';
import type { Exercise } from '../exercise.ts';
import { Interleaving } from '../interleaving.ts';
import { numberOf, textOf, typed, typedValue } from '../items.ts';
import type { Lab } from '../lab.ts';
import { mustHold } from '../lesson.ts';
import { mortal, untilKilled } from '../mortal.ts';
import { failWrites } from '../server-failure.ts';

const file = 'cases.mjs';
const runs = 40;
const history = [
  'EVENT#0001 DRAFT → REVIEW',
  'EVENT#0002 REVIEW → DRAFT',
  'EVENT#0003 DRAFT → REVIEW',
  'EVENT#0004 REVIEW → APPROVED',
];

export const stateMachine: Exercise = {
  id: 'state-machine',
  files: [file],
  topics: ['conditions-and-transactions'],
  async judge(bench) {
    const lab = await bench.lab({ tables: [appTable()] });
    await bench.step('A case goes its way', async () => {
      const { move } = await bench.functions(file, ['move']);
      await begin(lab, 'one', 'DRAFT');
      const answers: unknown[] = [];
      for (const [from, to] of [
        ['DRAFT', 'REVIEW'],
        ['REVIEW', 'DRAFT'],
        ['DRAFT', 'REVIEW'],
        ['REVIEW', 'APPROVED'],
      ])
        answers.push(await move(lab.caller, 'one', from, to));
      const { state, version, events } = await look(lab, 'one');
      mustHold(answers.every((answer) => answer === 'moved') && state === 'APPROVED', () => ({
        saw: `Four allowed moves answered ${answers.map((one) => JSON.stringify(one)).join(', ')}; the case is in ${state}.`,
        rule: "move returns 'moved' and leaves the case in the new state.",
      }));
      mustHold(version === 4 && events.length === 4, () => ({
        saw: `After four moves the version is ${version}, and the history has ${events.length} entries.`,
        rule: 'Each move adds 1 to version and writes the entry EVENT#0001, EVENT#0002, … of that version.',
      }));
      const told = events.map(
        (event) => `${textOf(event, 'SK')} ${textOf(event, 'from')} → ${textOf(event, 'to')}`,
      );
      mustHold(told.join() === history.join(), () => ({
        saw: `The history reads ${told.join(', ')}; it should read ${history.join(', ')}.`,
        rule: 'An entry carries the new version, in four digits, and from and to: the history is read in the order of its keys.',
        topic: 'sort-keys',
      }));
      return undefined;
    });
    await bench.step('Steps that do not exist are not allowed', async () => {
      const { move } = await bench.functions(file, ['move']);
      lab.ledger.take();
      const answer: unknown = await move(lab.caller, 'one', 'APPROVED', 'DRAFT');
      mustHold(answer === 'not allowed' && lab.ledger.take().requests === 0, () => ({
        saw: `move from APPROVED to DRAFT answered ${JSON.stringify(answer)}.`,
        rule: 'Rules that need no data are checked before any request.',
      }));
      await begin(lab, 'two', 'DRAFT');
      const late: unknown = await move(lab.caller, 'two', 'REVIEW', 'APPROVED');
      const { state } = await look(lab, 'two');
      mustHold(late === 'too late' && state === 'DRAFT', () => ({
        saw: `The case was in DRAFT, and move from REVIEW to APPROVED answered ${JSON.stringify(late)}; now it is in ${state}.`,
        rule: 'The state that the caller believes in is part of the condition of the write.',
        topic: 'conditions-and-transactions',
      }));
      return undefined;
    });
    await bench.step(`Two reviewers at once, ${runs} times in other orders`, async () => {
      const processes = [await bench.functions(file, ['move']), await bench.functions(file, ['move'], 1)];
      for (let seed = 1; seed <= runs; seed++) {
        const id = `r${seed}`;
        await begin(lab, id, 'REVIEW');
        const order = new Interleaving(seed);
        const answers = await order.run(
          (['APPROVED', 'DRAFT'] as const).map(
            (to, at) => () =>
              processes[at]!.move(
                order.callerFor(to === 'DRAFT' ? 'bob' : 'ann', lab.caller),
                id,
                'REVIEW',
                to,
              ),
          ),
        );
        const { version, events } = await look(lab, id);
        const moved = answers.filter((answer) => answer === 'moved').length;
        mustHold(moved === 1, () => ({
          saw: `Run ${seed}: ${moved} of two reviewers were told 'moved'. In this order: ${order.story}.`,
          rule: 'What was read is old when it is written. Put the state into the condition of the write: of two steps from one state, one is refused.',
          topic: 'conditions-and-transactions',
        }));
        mustHold(version === 1 && events.length === 1, () => ({
          saw: `Run ${seed}: one move was made, but the version is ${version} and the history has ${events.length} entries. In this order: ${order.story}.`,
          rule: 'The entry of the history belongs into the same transaction as the move.',
          topic: 'conditions-and-transactions',
        }));
      }
      return undefined;
    });
    await bench.step('It comes back to the same state between your read and your write', async () => {
      const { move } = await bench.functions(file, ['move']);
      await begin(lab, 'round', 'REVIEW');
      const answer: unknown = await move(goesRound(lab, 'round'), 'round', 'REVIEW', 'APPROVED');
      const { state, version, events } = await look(lab, 'round');
      const expected = answer === 'moved' ? ['APPROVED', 3] : ['REVIEW', 2];
      mustHold(state === expected[0] && version === expected[1] && events.length === version, () => ({
        saw: `After your read others moved the case to DRAFT and back to REVIEW, so that its version was 2. move answered ${JSON.stringify(answer)}, and now it is in ${state} with version ${version} and ${counted(events.length, 'entry')}.`,
        rule: 'The state is the same again, and the version is not. Put the version that you have read into the condition too.',
        topic: 'conditions-and-transactions',
      }));
      return undefined;
    });
    await bench.step('The service fails, and the case stays', async () => {
      const { move } = await bench.functions(file, ['move']);
      await begin(lab, 'trouble', 'DRAFT');
      await failWrites(lab, () => move(lab.caller, 'trouble', 'DRAFT', 'REVIEW'), {
        name: 'move',
        wrong: ['moved', 'too late', 'not allowed'],
      });
      return undefined;
    });
    await bench.step('A write fails half-way', async () => {
      const { move } = await bench.functions(file, ['move']);
      for (const operation of ['PutItem', 'UpdateItem']) {
        await begin(lab, `half-${operation}`, 'DRAFT');
        lab.db.faults.add({ error: 'InternalServerError', operation });
        await move(lab.caller, `half-${operation}`, 'DRAFT', 'REVIEW').catch(() => undefined);
        lab.db.faults.clear();
        const { version, events } = await look(lab, `half-${operation}`);
        mustHold(version === events.length, () => ({
          saw: `A ${operation} failed once. The case has version ${version}, and its history ${events.length} entries.`,
          rule: 'Two writes one after the other can stop in between. One transaction writes both or nothing.',
          topic: 'conditions-and-transactions',
        }));
      }
      return undefined;
    });
    await bench.step('The process is killed half-way', async () => {
      const { move } = await bench.functions(file, ['move']);
      for (let requests = 1; requests <= 4; requests++) {
        await begin(lab, `killed${requests}`, 'DRAFT');
        await untilKilled(() => move(mortal(lab.caller, requests), `killed${requests}`, 'DRAFT', 'REVIEW'));
        const { version, events } = await look(lab, `killed${requests}`);
        mustHold(version === events.length, () => ({
          saw: `The process was killed after ${counted(requests, 'request')}. The case has version ${version}, and its history ${counted(events.length, 'entry')}.`,
          rule: 'Whoever undoes a first write when the second fails may be killed in between, and nobody undoes it. One transaction writes both or nothing.',
          topic: 'conditions-and-transactions',
        }));
      }
      return undefined;
    });
  },
};

/** The database of somebody whose case others move away and back after it was read. */
function goesRound(lab: Lab, id: string): Caller {
  let isDone = false;
  return operations(async (operation, request) => {
    const answer = await lab.caller[operation](request);
    if (isDone || (operation !== 'getItem' && operation !== 'query')) return answer;
    isDone = true;
    for (const [version, from, to] of [
      [1, 'REVIEW', 'DRAFT'],
      [2, 'DRAFT', 'REVIEW'],
    ] as const) {
      const PK = `CASE#${id}`;
      await lab.db.putItem({ TableName: 'app', Item: typed({ PK, SK: 'CASE', state: to, version }) });
      await lab.db.putItem({ TableName: 'app', Item: typed({ PK, SK: `EVENT#000${version}`, from, to }) });
    }
    return answer;
  });
}

async function begin({ db }: Lab, id: string, state: string): Promise<void> {
  await db.putItem({ TableName: 'app', Item: typed({ PK: `CASE#${id}`, SK: 'CASE', state, version: 0 }) });
}

async function look({ db }: Lab, id: string) {
  const { Items = [] } = await db.query({
    TableName: 'app',
    KeyConditionExpression: 'PK = :id',
    ExpressionAttributeValues: { ':id': typedValue(`CASE#${id}`) },
  });
  const one = Items.find((item) => textOf(item, 'SK') === 'CASE');
  return {
    state: textOf(one, 'state'),
    version: numberOf(one, 'version'),
    events: Items.filter((item) => textOf(item, 'SK')!.startsWith('EVENT#')),
  };
}
