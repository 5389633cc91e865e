// Serves a database over HTTP until it is killed. Its argument is the store, as JSON; it prints where it listens.
import { writeSync } from 'node:fs';
import { Stator, type StatorOptions } from '../../../src/index.ts';

const store = JSON.parse(process.argv[2]!) as NonNullable<StatorOptions['store']>;
const db = await Stator.open({ store });
const { url } = await db.listen({ port: 0 });
writeSync(1, `listening ${url}\n`);
