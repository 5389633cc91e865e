// One of several processes on one data directory, each with the authorizer of the test. Prints where it listens.
import { writeSync } from 'node:fs';
import { Stator } from '../../../src/index.ts';
import { policyJudge } from '../door-policies.ts';

const [, , directory, buckets] = process.argv;
const db = await Stator.open({
  ...{
    store: { directory: directory!, shared: true },
    s3: { directory: buckets! },
    authorize: policyJudge(),
  },
  observe: true,
});
const { url } = await db.listen({ port: 0, oneOfSeveral: true });
writeSync(1, `listening ${url}\n`);
