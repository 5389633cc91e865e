// Serves a database over HTTP until it is killed. Its arguments are the store, as JSON, and
// the directory of its buckets, if there is one; it prints where it listens.
import { writeSync } from 'node:fs';
import { Stator, type StatorOptions } from '../../../src/index.ts';

const store = JSON.parse(process.argv[2]!) as NonNullable<StatorOptions['store']>;
const [, , , directory] = process.argv;
const db = await Stator.open({ store, ...(directory && { s3: { directory } }) });
const { url } = await db.listen({ port: 0 });
writeSync(1, `listening ${url}\n`);
