export { VirtualClock } from '../index.ts';
export { forkPerTest, type Hooks } from './fork-per-test.ts';
export { type TableSource, TestDatabase, type TestDatabaseOptions, testDatabase } from './test-database.ts';
