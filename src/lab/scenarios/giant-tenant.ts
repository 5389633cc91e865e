import { count, percent } from '../../report/figures.ts';
import { type IncludedScenario, patternOf, runNamed } from '../story.ts';

const task = { title: { bytes: 60 }, body: { bytes: { min: 200, max: 700 } } };

/** One customer of five hundred is as busy as all others together, and shares partitions with some of them. */
export const giantTenant: IncludedScenario = {
  scenario: {
    format: 'stator-lab/1',
    name: 'giant-tenant',
    description:
      'One giant tenant of 500: its key is hot, and its neighbours on the partition suffer with it.',
    startAt: '2026-06-01T08:00:00.000Z',
    seconds: 60,
    clients: 60,
    tables: [{ name: 'tasks', partitionKey: 'PK', sortKey: 'SK', warm: { write: 6_000, read: 18_000 } }],
    keys: { tenant: { count: 500, as: 'T{n}' }, project: { count: 40, as: 'P{n}' } },
    entities: {
      Task: { table: 'tasks', key: { PK: 'TENANT#{tenant}', SK: 'TASK#{time}#{id}' }, attributes: task },
    },
    patterns: {
      create: {
        does: 'create a task',
        put: 'Task',
        rate: 2_600,
        keys: { tenant: { kind: 'tenants', keys: 1, share: 0.6, exponent: 0.9 } },
      },
      list: {
        does: 'the newest tasks of a tenant',
        ...{ query: 'Task', limit: 25, newestFirst: true, rate: 200 },
        keys: { tenant: { kind: 'tenants', keys: 1, share: 0.6, exponent: 0.9 } },
      },
    },
    variants: {
      tenant: { change: 'The partition key is the tenant.' },
      project: {
        change: 'The partition key is the tenant and the project, which is what screens show.',
        entities: {
          Task: {
            table: 'tasks',
            key: { PK: 'TENANT#{tenant}#PROJECT#{project}', SK: 'TASK#{time}#{id}' },
            attributes: task,
          },
        },
      },
    },
  },
  story(runs) {
    const rows = [];
    const before = runNamed(runs, 'tenant');
    const after = runNamed(runs, 'project');
    if (before !== undefined) {
      const [giant] = before.arms[0]!.hotKeys;
      const create = patternOf(before, 'create')!;
      rows.push({
        when: 'tenant',
        what: `${giant?.key ?? 'The giant'} asks for ${count(giant?.write ?? 0)} writes a second; a partition gives 1,000. ${percent(create.gaveUp / create.calls)} of all calls are lost, and those of its neighbours on the partition with them.`,
      });
    }
    if (after !== undefined)
      rows.push({
        when: 'project',
        what: `The same traffic by tenant and project: ${count(after.totals.throttles)} throttles. The busiest key takes ${count(after.arms[0]!.hotKeys[0]?.write ?? 0)} a second.`,
      });
    return rows;
  },
};
