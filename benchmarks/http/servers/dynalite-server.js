// What dynalite's own command does: dynalite-server.js <its package directory> <port> [<directory for data>]
import { createRequire } from 'node:module';
import { endWithParent } from './end-with-parent.js';

const [directory, port, path] = process.argv.slice(2);
endWithParent();
const dynalite = createRequire(import.meta.url)(directory);
dynalite({ createTableMs: 0, ...(path && { path }) }).listen(Number(port), '127.0.0.1');
