import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { shardOf } from '../../src/design/index.ts';
import { installed } from '../clients/installed-programs.ts';

const lacksPython = (await installed('python3', ['--version'])).length === 0;
const page = readFileSync(new URL('../../docs/design/shards.md', import.meta.url), 'utf8');
const ids = [...Array.from({ length: 40 }, (_, at) => `o-${at * 7919}`), 'größe', '😀', ''];

it.skipIf(lacksPython)('the Python of the page computes the same shards', async () => {
  const [, program] = /```python\n([\s\S]*?)```/.exec(page)!;
  const script = `${program}
import json
ids = json.loads(${JSON.stringify(JSON.stringify(ids))})
print(json.dumps([[get_shard(i, n), shard_of([i, "x"], n), event_pk("s", i, n)] for i in ids for n in (1, 6, 10)]))`;
  const { stdout } = await promisify(execFile)('python3', ['-c', script]);
  const expected = ids.flatMap((id) =>
    [1, 6, 10].map((count) => {
      const shard = shardOf([id], count, 'md5');
      return [shard, shardOf([id, 'x'], count), `SHIPMENT#s#${shard}`];
    }),
  );
  expect(JSON.parse(stdout)).toEqual(expected);
});
