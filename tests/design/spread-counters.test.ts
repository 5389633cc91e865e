import { describe, expect, it } from 'vitest';
import { client } from '../../src/client/index.ts';
import { createTableRequests } from '../../src/design/create-table.ts';
import {
  add,
  change,
  compare,
  count,
  create,
  type Design,
  derive,
  entity,
  get,
  hot,
  id,
  list,
  ModelError,
  model,
  number,
  optional,
  type ReadDefinition,
  text,
  write,
} from '../../src/design/index.ts';
import { Stator } from '../../src/index.ts';
import { proveDesign } from '../../src/prove/prove-design.ts';

const post = entity('Post', {
  identity: { postId: id(8) },
  fixed: { author: id(8) },
  changing: { body: text(20), likes: optional(number(9)) },
  population: count(1_000),
});
const visit = write({
  does: 'like',
  steps: [add(post, { given: 'postId', to: 'likes', spread: 'shards' })],
  peak: 2_000,
  skew: { postId: hot(1, 0.9) },
});
const one = get(post, { does: 'a post', by: 'postId', peak: 5 });
const blog = (reads: Readonly<Record<string, ReadDefinition>>, writes = {}) =>
  model('blog', {
    entities: [post],
    reads: { one, ...reads },
    writes: { publish: write({ does: 'publish', steps: [create(post)], peak: 5 }), visit, ...writes },
  });

function whyRefused(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ModelError) return error.troubles.map(({ where, rule }) => `${where}: ${rule}`);
    throw error;
  }
  return [];
}

describe('a spread counter', () => {
  it('is refused where a read orders, filters or asks for it: its item does not hold it', () => {
    const of = { does: 'posts', by: 'author', page: 10, peak: 1 } as const;
    const spread = ['read bad: spread counter'];
    const reading = (bad: ReadDefinition) => whyRefused(() => derive(blog({ bad })));
    expect(reading(list(post, { ...of, order: 'likes desc' }))).toEqual(spread);
    expect(reading(list(post, { ...of, needs: ['likes'] }))).toEqual(spread);
    expect(reading(list(post, { ...of, where: [compare('likes', '>', 10, 0.1)] }))).toEqual(spread);
    expect(reading(list(post, { ...of, order: 'body' as never }))).not.toEqual(spread);
    expect(whyRefused(() => derive(blog({})))).toEqual([]);
  });

  it('is refused where it is required, or set by another write', () => {
    const required = entity('Post', {
      identity: { postId: id(8) },
      changing: { likes: number(9) },
      population: count(10),
    });
    const steps = [add(required, { given: 'postId', to: 'likes', spread: 'shards' })];
    const given = () =>
      model('blog', {
        entities: [required],
        reads: { one: get(required, { does: 'one', by: 'postId', peak: 1 }) },
        writes: { visit: write({ does: 'like', steps, peak: 1 }) },
      });
    expect(whyRefused(given)).toEqual(['entity Post: spread counter']);
    const reset = write({
      does: 'reset',
      steps: [change(post, { given: 'postId', sets: ['likes'] })],
      peak: 1,
    });
    expect(whyRefused(() => derive(blog({}, { reset })))).toEqual(['write reset: spread counter']);
  });

  it('is in no item and no answer, and reads as what was added', async () => {
    const given = blog({});
    await using db = Stator.inMemory({ physics: 'off', seed: 1 });
    for (const request of createTableRequests(given, derive(given))) await db.createTable(request as never);
    const { patterns, entities } = client(given, { client: db.client() });
    await patterns.publish({ postId: 'p', author: 'a', body: 'b' });
    const counted = { postId: 'q', author: 'a', body: 'b', likes: 3 };
    await expect(patterns.publish(counted)).rejects.toThrow('counted in items of its own');
    await expect(entities.Post.put(counted)).rejects.toThrow('counted in items of its own');
    await expect(entities.Post.update({ postId: 'p' }, { likes: { add: 1 } })).rejects.toThrow(
      'counted in items of its own',
    );
    for (let at = 0; at < 7; at++) await patterns.visit({ postId: 'p' });
    expect(await patterns.one({ postId: 'p' })).toEqual({ postId: 'p', author: 'a', body: 'b' });
    expect(await entities.Post.counter('likes', { postId: 'p' })).toBe(7);
  });

  it('is compared by the proof with what was added', async () => {
    const given = blog({});
    const small = { calls: 20, instances: 200, seconds: 0 };
    const wrongs = (proof: Awaited<ReturnType<typeof proveDesign>>) =>
      proof.findings
        .filter(({ severity }) => severity === 'error')
        .map(({ rule, pattern }) => [rule, pattern]);
    const design = derive(given);
    expect(wrongs(await proveDesign(given, design, small))).toEqual([]);
    // Counters of all posts in the same items.
    const mixed = JSON.parse(JSON.stringify(design).replace('#{postId}#{shard', '#all#{shard')) as Design;
    expect(wrongs(await proveDesign(given, mixed, small))).toEqual([['wrong item', 'visit']]);
  });
});
