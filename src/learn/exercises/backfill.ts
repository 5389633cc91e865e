import { counted } from '../../model/counted.ts';
import { appTable } from '../app-table.ts';
import { type Caller, operations } from '../caller.ts';
import type { Exercise } from '../exercise.ts';
import { textOf, typed, typedValue } from '../items.ts';
import type { Lab } from '../lab.ts';
import { mustHold } from '../lesson.ts';
import { mortal, untilKilled } from '../mortal.ts';
import { numberText } from '../unit-text.ts';

const file = 'backfill.mjs';
const documents = 300;
const unitsMax = 50;

export const backfill: Exercise = {
  id: 'backfill',
  files: [file],
  topics: ['evolution', 'indexes'],
  async judge(bench) {
    await bench.step('Every old document gets into the index, and live changes stay', async () => {
      const { backfill: run } = await bench.functions(file, ['backfill']);
      const lab = await load(bench);
      const live = liveProgram(lab);
      await run(live.caller, lab.pause);
      const docs = await read(lab);
      const undone = docs.filter(({ id, status }) => live.changed.has(id) && status !== 'DONE');
      mustHold(undone.length === 0, () => ({
        saw: `While the backfill ran the program set ${counted(live.changed.size, 'document')} to DONE; ${undone.length} of them are ${undone[0]!.status} again, such as ${undone[0]!.id}.`,
        rule: 'PutItem writes back what was read some time ago, and everything that others wrote since is lost. Update only the two attributes.',
        topic: 'evolution',
      }));
      const outside = docs.filter(({ partition }) => partition === undefined);
      mustHold(outside.length === 0, () => ({
        saw: `${counted(outside.length, 'document')} ${outside.length === 1 ? 'is' : 'are'} not in the index, such as ${outside[0]!.id}.`,
        rule: 'A Scan has pages too: go on until LastEvaluatedKey is missing.',
        topic: 'evolution',
      }));
      const wrong = docs.find(({ status, partition }) => partition !== `STATUS#${status}`);
      mustHold(wrong === undefined, () => ({
        saw: `${wrong!.id} has the status ${wrong!.status}, and lies in the index under ${wrong!.partition}.`,
        rule: 'Between your read and your write the program changed it. The condition must say what you have read: attribute_not_exists(GSI1PK) AND #status = :seen.',
        topic: 'evolution',
      }));
      const elsewhere = docs.find(({ id, sort }) => sort !== id);
      mustHold(elsewhere === undefined, () => ({
        saw: `${elsewhere!.id} lies in the index with GSI1SK = ${elsewhere!.sort}.`,
        rule: 'GSI1SK is the PK of the document. Entries with the same keys are allowed in an index, but their order is nobody’s promise.',
        topic: 'indexes',
      }));
      return `${documents} in the index, ${live.changed.size} changed meanwhile`;
    });
    await bench.step(`At most ${unitsMax} write units in any second`, async () => {
      const { backfill: run } = await bench.functions(file, ['backfill']);
      const lab = await load(bench);
      const bySecond = new Map<number, number>();
      const metered = around(lab.caller, async (_operation, ask) => {
        const answer = await ask();
        const second = Math.floor(lab.nowMs() / 1_000);
        bySecond.set(second, (bySecond.get(second) ?? 0) + lab.ledger.take().writeUnits);
        return answer;
      });
      await run(metered, lab.pause);
      const most = Math.max(0, ...bySecond.values());
      mustHold(most <= unitsMax, () => ({
        saw: `It used ${numberText(most)} write units within one second.`,
        rule: 'A backfill at full speed takes the capacity of those who work. Each update costs the table and the index: pause between pages.',
        topic: 'evolution',
      }));
      return `${numberText(most)} units at most, in ${bySecond.size} seconds`;
    });
    await bench.step('Killed half-way, and run again', async () => {
      const { backfill: run } = await bench.functions(file, ['backfill']);
      const lab = await load(bench);
      await untilKilled(() => run(mortal(lab.caller, 150), lab.pause));
      await run(lab.caller, lab.pause);
      const outside = (await read(lab)).filter(({ partition }) => partition === undefined);
      mustHold(outside.length === 0, () => ({
        saw: `It was killed after 150 requests and run again; ${counted(outside.length, 'document')} never got into the index.`,
        rule: 'A job that can be killed begins again with what is still to do.',
        topic: 'evolution',
      }));
      lab.ledger.take();
      await run(lab.caller, lab.pause);
      const account = lab.ledger.take();
      mustHold(account.writeUnits === 0, () => ({
        saw: `When everything was done, another run wrote again: ${account}.`,
        rule: 'Idempotent means that a second run changes nothing: a condition, or a filter that finds nothing to do.',
        topic: 'evolution',
      }));
      return `another run: ${account}`;
    });
  },
};

async function load(bench: Parameters<Exercise['judge']>[0]): Promise<Lab> {
  const lab = await bench.lab({ tables: [appTable({ indexes: ['GSI1'] })], requestsMax: 3_000 });
  for (let i = 0; i < documents; i++) {
    const item = { PK: `DOC#${i}`, SK: 'DOC', status: ['OPEN', 'REVIEW'][i % 2]!, title: `Document ${i}` };
    await lab.db.putItem({ TableName: 'app', Item: typed({ ...item, body: 'x'.repeat(80) }) });
  }
  return lab;
}

/** The program at work: after each page of a Scan it finishes some of the documents that were just read. */
function liveProgram(lab: Lab): { readonly caller: Caller; readonly changed: ReadonlySet<string> } {
  const changed = new Set<string>();
  const caller = around(lab.caller, async (operation, ask) => {
    const answer = await ask();
    if (operation !== 'scan' && operation !== 'query') return answer;
    const { Items = [] } = answer as { Items?: never[] };
    for (const item of Items.filter((_, at) => at % 7 === 3)) {
      const id = textOf(item, 'PK')!;
      if (changed.has(id)) continue;
      changed.add(id);
      await lab.db.updateItem({
        TableName: 'app',
        Key: typed({ PK: id, SK: 'DOC' }),
        UpdateExpression: 'SET #status = :done, GSI1PK = :partition, GSI1SK = :sort',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':done': typedValue('DONE'),
          ':partition': typedValue('STATUS#DONE'),
          ':sort': typedValue(id),
        },
      });
    }
    return answer;
  });
  return { caller, changed };
}

function around(
  caller: Caller,
  send: (operation: string, ask: () => Promise<object>) => Promise<object>,
): Caller {
  return operations((operation, request) => send(operation, () => caller[operation](request)));
}

async function read({ db }: Lab) {
  const { Items = [] } = await db.scan({ TableName: 'app' });
  return Items.map((item) => ({
    id: textOf(item, 'PK')!,
    status: textOf(item, 'status'),
    partition: textOf(item, 'GSI1PK'),
    sort: textOf(item, 'GSI1SK'),
  }));
}
