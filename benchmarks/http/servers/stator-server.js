// Serves a database: stator-server.js <the package's built index.js> <port> [<directory> <durability>]
import { pathToFileURL } from 'node:url';
import { endWithParent } from './end-with-parent.js';
import { profileOnSignal } from './profile-on-signal.js';

const [index, port, directory, durability] = process.argv.slice(2);
profileOnSignal();
endWithParent();
const { Stator } = await import(pathToFileURL(index).href);
const store = directory === undefined ? 'memory' : { directory, durability };
const db = await Stator.open({ store, log: (line) => console.error(line) });
await db.listen({ port: Number(port) });
