// Serves a database in a directory, with Kinesis at an endpoint, until it is killed; it prints where it listens.
import { writeSync } from 'node:fs';
import { Stator } from '../../../src/index.ts';

const [, , directory, endpoint] = process.argv;
const db = await Stator.open({ store: { directory: directory! }, kinesis: { endpoint: endpoint! } });
const { url } = await db.listen({ port: 0 });
writeSync(1, `listening ${url}\n`);
