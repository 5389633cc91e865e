import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The example models import the package by its name, which means the sources here and not an older build of them.
const alias = {
  'stator/client': fileURLToPath(new URL('src/client/index.ts', import.meta.url)),
  'stator/design': fileURLToPath(new URL('src/design/index.ts', import.meta.url)),
};

// Long runs do up to a hundred times as much of the same.
const testTimeout = process.env.STATOR_TEST_LONG === '1' ? 3_600_000 : 300_000;

// Rooms of `tests/` whose files share processes: their tests leave nothing behind there. To load the sources anew for each
// file takes nearly as long as the tests: 77 s of processor time for `tests/conformance`, and 45 without. Not `naive`, whose
// long tests take twice as long in code that V8 has seen used in many ways (80 s beside 43).
const sharing = [
  ...['backups', 'conformance', 'doctor', 'doors', 'engine', 'kinesis', 'lab', 'learn', 'migrate'],
  ...['observe', 'physics', 'runtime', 'streams', 'transfers', 'wire', 'workload'],
].map((room) => `tests/${room}/*.test.ts`);

// A module that a test replaces (`vi.mock`) is replaced in a process of its own.
const replacing = ['src/expressions/hostile.test.ts'];

// Three projects: `unit` is what `npm run check` runs (no servers, no child processes, seconds);
// `shared` has many files in a process; `suite` is everything else, with a process for each file. Both of these may start
// servers, kill processes and use PostgreSQL.
export default defineConfig({
  test: {
    // The runner would leave one core to itself, which it does not need: two cores then took 710 s instead of 510.
    maxWorkers: '100%',
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'tests/house/*.test.ts'],
          exclude: replacing,
          pool: 'threads',
          // The files of a thread share its modules: to load them anew for each file took 27 of 67 s of processor time.
          isolate: false,
          restoreMocks: true,
          unstubEnvs: true,
          testTimeout: 60_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'shared',
          include: sharing,
          globalSetup: ['tests/postgres/global-setup.ts'],
          pool: 'forks',
          isolate: false,
          restoreMocks: true,
          unstubEnvs: true,
          testTimeout,
          hookTimeout: 120_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'suite',
          include: ['tests/**/*.test.ts', ...replacing],
          exclude: ['tests/house/*.test.ts', ...sharing],
          globalSetup: ['tests/postgres/global-setup.ts'],
          pool: 'forks',
          testTimeout,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
