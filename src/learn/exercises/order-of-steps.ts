import { nearest } from '../../model/nearest.ts';
import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { textOf, typed, typedValue } from '../items.ts';
import type { Lab } from '../lab.ts';
import { Lesson, mustHold } from '../lesson.ts';

const file = 'plan.json';
const owners = ['ann', 'bob', 'cho'];

const steps = [
  'create-index',
  'wait-until-active',
  'write-both',
  'backfill',
  'compare-counts',
  'read-new',
  'stop-writing-old',
  'remove-old',
] as const;
type Step = (typeof steps)[number];

export const orderOfSteps: Exercise = {
  id: 'order-of-steps',
  files: [file],
  topics: ['evolution'],
  async judge(bench) {
    let plan: readonly Step[] = [];
    await bench.step('The plan has every step once', async () => {
      const given = await bench.json(file);
      mustHold(Array.isArray(given), () => ({
        saw: `${file} is no list.`,
        rule: 'It is a list of step names.',
      }));
      for (const name of given as unknown[]) {
        if (steps.includes(name as Step)) continue;
        const meant = nearest(String(name), [...steps]);
        throw new Lesson({
          saw: `There is no step ${JSON.stringify(name)}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
          rule: `The steps are ${steps.join(', ')}.`,
        });
      }
      plan = given as Step[];
      for (const name of steps) {
        const times = plan.filter((step) => step === name).length;
        mustHold(times === 1, () => ({
          saw: `${name} is there ${times === 0 ? 'not at all' : `${times} times`}.`,
          rule: 'A step that is left out is a step that nobody has thought about. Each one comes once.',
        }));
      }
      return undefined;
    });
    const lab = await bench.lab({ tables: [appTable({ indexes: ['OLD'] })], physics: 'enforce' });
    const program = new Program(lab);
    for (let i = 0; i < 4; i++) await program.work();
    for (const [at, step] of plan.entries())
      await bench.step(`${at + 1}. ${step}`, async () => {
        const note = await program.take(step);
        await program.work();
        await program.look(step);
        return note;
      });
    await bench.step('Nothing old is left', async () => {
      const { Items = [] } = await lab.db.scan({ TableName: 'app' });
      const old = Items.filter((item) => item.OLDPK !== undefined);
      mustHold(old.length === 0, () => ({
        saw: `${old.length} documents still have the keys of OLD: they were written after remove-old.`,
        rule: 'Old things are removed last, when nothing writes them any more.',
        topic: 'evolution',
      }));
      return `${Items.length} documents`;
    });
  },
};

/** The table during the migration, and the program that works on it all the time. */
class Program {
  readonly #lab: Lab;
  readonly #ownerOf = new Map<string, string>();
  #writes: 'old' | 'both' | 'new' = 'old';
  #reads: 'OLD' | 'NEW' = 'OLD';
  #isBackfilled = false;

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  /** New documents, one for each owner, and one that changes hands. */
  async work(): Promise<void> {
    for (const owner of owners) await this.#put(`DOC#${this.#ownerOf.size}`, owner);
    const first = [...this.#ownerOf.keys()][Math.floor(this.#ownerOf.size / 2)]!;
    await this.#put(first, owners[this.#ownerOf.size % owners.length]!);
    await this.#lab.wait(1_000);
  }

  async #put(id: string, owner: string): Promise<void> {
    this.#ownerOf.set(id, owner);
    const sets: string[] = [];
    const values: Record<string, string> = {};
    const add = (index: string) => {
      sets.push(`${index}PK = :${index}`, `${index}SK = :id`);
      values[`:${index}`] = `${index}#${owner}`;
      values[':id'] = id;
    };
    if (this.#writes !== 'new') add('OLD');
    if (this.#writes !== 'old') add('NEW');
    await this.#lab.db.updateItem({
      TableName: 'app',
      Key: typed({ PK: id, SK: 'DOC' }),
      UpdateExpression: `SET #owner = :owner, ${sets.join(', ')}`,
      ExpressionAttributeNames: { '#owner': 'owner' },
      ExpressionAttributeValues: typed({ ...values, ':owner': owner }),
    });
  }

  /** A reader asks for the documents of each owner. */
  async look(step: Step): Promise<void> {
    for (const owner of owners) {
      const wanted = [...this.#ownerOf].filter(([, one]) => one === owner).map(([id]) => id);
      const found = await this.#query(this.#reads, owner).catch((error: Error) => {
        throw new Lesson({
          saw: `After ${step} a reader asked the index ${this.#reads} and was refused: ${error.message}`,
          rule: 'An index that is being made cannot be read. Readers move when it is ACTIVE and filled.',
          topic: 'evolution',
        });
      });
      const missing = wanted.filter((id) => !found.includes(id));
      const extra = found.filter((id) => !wanted.includes(id));
      mustHold(missing.length === 0 && extra.length === 0, () => ({
        saw: `After ${step} a reader asked the index ${this.#reads} for the documents of ${owner}: ${missing.length} of ${wanted.length} were missing${extra.length === 0 ? '' : `, and ${extra.length} of others came`}.`,
        rule: this.#ruleFor(step),
        topic: 'evolution',
      }));
    }
  }

  #ruleFor(step: Step): string {
    if (this.#reads === 'OLD')
      return step === 'remove-old'
        ? 'Old keys are removed when nobody reads them any more.'
        : 'As long as anybody reads OLD, the program must write its keys.';
    if (!this.#isBackfilled)
      return 'An index holds the documents that have its keys. Old documents need the backfill before anybody reads NEW, and nothing says that they are missing.';
    return 'What the old program wrote after the backfill has no new keys: write both first, then backfill.';
  }

  async #query(IndexName: 'OLD' | 'NEW', owner: string): Promise<string[]> {
    const { Items = [] } = await this.#lab.db.query({
      TableName: 'app',
      IndexName,
      KeyConditionExpression: `${IndexName}PK = :owner`,
      ExpressionAttributeValues: { ':owner': typedValue(`${IndexName}#${owner}`) },
    });
    return Items.map((item) => textOf(item, 'PK')!);
  }

  async take(step: Step): Promise<string | undefined> {
    switch (step) {
      case 'create-index':
        return this.#createIndex();
      case 'wait-until-active':
        return this.#waitUntilActive();
      case 'write-both':
        this.#writes = 'both';
        return undefined;
      case 'backfill':
        return this.#backfill();
      case 'compare-counts':
        return this.#compare();
      case 'read-new':
        this.#reads = 'NEW';
        return undefined;
      case 'stop-writing-old':
        this.#writes = 'new';
        return undefined;
      case 'remove-old':
        return this.#removeOld();
    }
  }

  async #createIndex(): Promise<string> {
    const { AttributeDefinitions, GlobalSecondaryIndexes } = appTable({ indexes: ['NEW'] });
    await this.#lab.db.updateTable({
      TableName: 'app',
      AttributeDefinitions: AttributeDefinitions!.filter(({ AttributeName }) =>
        /^NEW/.test(AttributeName ?? ''),
      ),
      GlobalSecondaryIndexUpdates: [{ Create: GlobalSecondaryIndexes![0]! }],
    });
    return `NEW is ${await this.#statusOfNew()}`;
  }

  async #statusOfNew(): Promise<string | undefined> {
    const { Table } = await this.#lab.db.describeTable({ TableName: 'app' });
    return Table?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === 'NEW')?.IndexStatus;
  }

  async #waitUntilActive(): Promise<string> {
    const beganMs = this.#lab.nowMs();
    for (let tries = 0; tries < 500; tries++) {
      const status = await this.#statusOfNew();
      if (status === undefined)
        throw new Lesson({
          saw: 'There is no index NEW to wait for.',
          rule: 'It has to be created first.',
          topic: 'evolution',
        });
      if (status === 'ACTIVE')
        return `ACTIVE after ${Math.round((this.#lab.nowMs() - beganMs) / 60_000)} minutes`;
      await this.#lab.wait(10_000);
      await this.#lab.db.settled();
    }
    throw new Error('The index never became active');
  }

  async #backfill(): Promise<string> {
    let count = 0;
    const { Items = [] } = await this.#lab.db.scan({
      TableName: 'app',
      FilterExpression: 'attribute_not_exists(NEWPK)',
    });
    for (const item of Items) {
      const id = textOf(item, 'PK')!;
      await this.#lab.db.updateItem({
        TableName: 'app',
        Key: typed({ PK: id, SK: 'DOC' }),
        UpdateExpression: 'SET NEWPK = :owner, NEWSK = :id',
        ExpressionAttributeValues: typed({ ':owner': `NEW#${textOf(item, 'owner')}`, ':id': id }),
      });
      count++;
    }
    this.#isBackfilled = true;
    return `${count} documents`;
  }

  async #compare(): Promise<string> {
    const counts: number[] = [];
    for (const IndexName of ['OLD', 'NEW']) {
      const answer = await this.#lab.db
        .scan({ TableName: 'app', IndexName, Select: 'COUNT' })
        .catch((error: Error) => {
          throw new Lesson({
            saw: `The count of ${IndexName} was refused: ${error.message}`,
            rule: 'Compare when the new index is ACTIVE.',
            topic: 'evolution',
          });
        });
      counts.push(answer.Count ?? 0);
    }
    mustHold(counts[0] === counts[1], () => ({
      saw: `OLD holds ${counts[0]} documents and NEW ${counts[1]}: the plan stops here.`,
      rule: 'Counts agree when the program writes both and the backfill is through, and before the old keys go.',
      topic: 'evolution',
    }));
    return `${counts[0]} and ${counts[1]}`;
  }

  async #removeOld(): Promise<string> {
    const { Items = [] } = await this.#lab.db.scan({
      TableName: 'app',
      FilterExpression: 'attribute_exists(OLDPK)',
    });
    for (const item of Items)
      await this.#lab.db.updateItem({
        TableName: 'app',
        Key: typed({ PK: textOf(item, 'PK')!, SK: 'DOC' }),
        UpdateExpression: 'REMOVE OLDPK, OLDSK',
      });
    return `${Items.length} documents`;
  }
}
