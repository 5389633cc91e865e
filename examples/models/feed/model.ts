/** A social feed: posts by tag, home feeds written at the time of the post, likes that count once. */
import {
  add,
  choice,
  count,
  create,
  distinct,
  entity,
  epoch,
  get,
  hot,
  id,
  list,
  model,
  number,
  of,
  optional,
  per,
  plainText,
  remove,
  text,
  time,
  write,
  zipf,
} from 'stator/design';

const user = entity('User', {
  identity: { userId: id(10) },
  changing: { handle: plainText(15, 30), bio: text(100, 500), followers: number(9) },
  population: count(5_000_000),
});

const post = entity('Post', {
  identity: { postId: id(12) },
  fixed: { userId: of(user), postedAt: time() },
  changing: { body: text(300, 3_000), likes: optional(number(9)) },
  population: per(user, { mean: 40, max: 100_000 }),
});

/** A post under one of its tags. */
const tagged = entity('Tagged', {
  identity: { tag: distinct(200_000, id(16)), postId: of(post) },
  fixed: { postedAt: time(), userId: of(user) },
  population: per(post, { mean: 1.5, max: 30 }),
});

/** A post in the feed of one follower, written when the post appears. */
const feedEntry = entity('FeedEntry', {
  identity: { ownerId: of(user), postId: of(post) },
  fixed: { postedAt: time(), expires: epoch() },
  ttl: 'expires',
  population: per(user, { mean: 300, max: 800 }),
});

const follow = entity('Follow', {
  identity: { followerId: of(user), followedId: of(user) },
  fixed: { since: time() },
  population: per(user, { mean: 60, max: 2_000_000 }),
});

const like = entity('Like', {
  identity: { postId: of(post), likerId: of(user) },
  fixed: { at: time(), kind: choice('LIKE', 'LOVE'), expires: epoch() },
  ttl: 'expires',
  population: per(post, { mean: 8, max: 3_000_000 }),
});

export default model('feed', {
  description: 'Posts, tags, home feeds and likes.',
  // The likes of a hot post and its counters are hot at once, and may meet in one partition.
  headroom: 0.3,
  entities: [user, post, tagged, feedEntry, follow, like],
  reads: {
    profile: get(user, {
      does: 'a profile',
      actor: 'app',
      by: 'userId',
      peak: 2_000,
      mean: 500,
      skew: { userId: zipf(0.6) },
    }),
    postById: get(post, { does: 'a post', actor: 'app', by: 'postId', peak: 1_500, mean: 400 }),
    postsOfUser: list(post, {
      does: 'posts of a user, newest first',
      actor: 'app',
      by: 'userId',
      order: 'postedAt desc',
      page: 20,
      peak: 500,
      mean: 120,
    }),
    byTag: list(tagged, {
      does: 'posts under a tag, newest first',
      actor: 'app',
      by: 'tag',
      order: 'postedAt desc',
      page: 20,
      peak: 400,
      mean: 80,
      skew: { tag: hot(1, 0.2) },
    }),
    homeFeed: list(feedEntry, {
      does: 'the home feed, newest first',
      actor: 'app',
      by: 'ownerId',
      order: 'postedAt desc',
      page: 30,
      latencyMs: 50,
      peak: 3_000,
      mean: 900,
    }),
    following: list(follow, {
      does: 'whom a user follows',
      actor: 'app',
      by: 'followerId',
      page: 100,
      peak: 100,
      mean: 20,
    }),
    followers: list(follow, {
      does: 'who follows a user',
      actor: 'fan-out worker',
      by: 'followedId',
      page: 'all',
      returns: 60,
      peak: 100,
      mean: 30,
    }),
    likedByMe: get(like, {
      does: 'whether I like a post',
      actor: 'app',
      by: ['postId', 'likerId'],
      peak: 2_000,
      mean: 500,
    }),
    likesOfPost: list(like, {
      does: 'who likes a post, newest first',
      actor: 'app',
      by: 'postId',
      order: 'at desc',
      page: 50,
      peak: 100,
      mean: 20,
    }),
  },
  writes: {
    publish: write({
      does: 'publish a post under its tags',
      actor: 'app',
      steps: [create(post), create(tagged, { count: 2 })],
      peak: 100,
      mean: 25,
      skew: { tag: hot(1, 0.1) },
    }),
    fanOut: write({
      does: 'put a post into one feed',
      actor: 'fan-out worker',
      steps: [create(feedEntry, { once: false })],
      peak: 5_000,
      mean: 1_500,
    }),
    follow: write({
      does: 'follow somebody',
      actor: 'app',
      steps: [create(follow)],
      peak: 50,
      mean: 10,
      skew: { followedId: zipf(0.8) },
    }),
    unfollow: write({
      does: 'stop following',
      actor: 'app',
      steps: [remove(follow, { given: ['followerId', 'followedId'] })],
      peak: 10,
      mean: 2,
    }),
    like: write({
      does: 'like a post, once',
      actor: 'app',
      steps: [create(like), add(post, { given: 'postId', to: 'likes', spread: 'shards' })],
      peak: 3_000,
      mean: 500,
      skew: { postId: hot(1, 0.4) },
    }),
  },
  streams: {
    search: { entities: [post], view: 'NEW_IMAGE' },
    fanOut: { entities: [post], view: 'NEW_IMAGE' },
  },
});
