import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The example models import the package by its name, which means the sources here and not an older build of them.
const alias = {
  'stator/client': fileURLToPath(new URL('src/client/index.ts', import.meta.url)),
  'stator/design': fileURLToPath(new URL('src/design/index.ts', import.meta.url)),
};

// Two projects: `unit` is what `npm run check` runs (no servers, no child processes, seconds);
// `suite` is everything else and may start PostgreSQL, kill processes and install the package.
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
          pool: 'threads',
          // The files of a thread share its modules: to load them anew for each file took 27 of 67 s of processor time.
          isolate: false,
          restoreMocks: true,
          testTimeout: 60_000,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'suite',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/house/*.test.ts'],
          globalSetup: ['tests/postgres/global-setup.ts'],
          pool: 'forks',
          // Long runs do up to a hundred times as much of the same.
          testTimeout: process.env.STATOR_TEST_LONG === '1' ? 3_600_000 : 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
