// Serves a database over HTTP until it is killed. Its arguments are the store, as JSON, the directory of its
// buckets, or '', and how far its clock is ahead, in milliseconds; it prints where it listens.
import { writeSync } from 'node:fs';
import { Stator, type StatorOptions } from '../../../src/index.ts';

const store = JSON.parse(process.argv[2]!) as NonNullable<StatorOptions['store']>;
const [, , , directory, skewMs] = process.argv;
const clock = skewMs && { nowMicros: () => (Date.now() + Number(skewMs)) * 1000 };
const db = await Stator.open({ store, ...(directory && { s3: { directory } }), ...(clock && { clock }) });
const { url } = await db.listen({ port: 0 });
writeSync(1, `listening ${url}\n`);
