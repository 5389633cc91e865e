// Runs a TypeScript file in a process of its own: Node 20 cannot, Vite, which the tests have anyway, can.
import { runnerImport } from 'vite';

await runnerImport(process.argv[2]);
