import { defineConfig } from 'vitest/config';

/** A project whose tests fail on purpose; the test of `test:explore` runs it. */
export default defineConfig({ test: { include: ['tests/*.planted.ts'] } });
