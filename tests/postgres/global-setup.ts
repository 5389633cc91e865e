import type { TestProject } from 'vitest/node';
import { startPostgres } from './server.ts';

/** One PostgreSQL for the whole run; every test opens a schema of its own in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}
