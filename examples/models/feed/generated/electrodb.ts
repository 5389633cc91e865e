/** ElectroDB entities of the model feed. */
import { Entity, type EntityConfiguration } from 'electrodb';

/** The shard of an item: FNV-1a over its values, so that writers in any language can compute it. */
function shardOf(values: readonly unknown[], count: number): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(values.map(String).join('#'))) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return String(hash % count);
}

/** The entities over a client. Tables may have other names where they are deployed. */
export function feedEntities(
  configuration: Omit<EntityConfiguration, 'table'>,
  tables = { feed: 'feed' },
) {
  const entities = {
    FeedEntry: new Entity(
      {
        model: { entity: 'FeedEntry', version: '1', service: 'feed' },
        attributes: {
          ownerId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          postId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          postedAt: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          expires: { type: 'number', required: true, readOnly: true },
        },
        indexes: {
          // homeFeed
          homeFeed: {
            pk: { field: 'PK', composite: ['ownerId'], template: 'FEEDENTRY#${ownerId}', casing: 'none' },
            sk: { field: 'SK', composite: ['postedAt', 'postId'], template: '${postedAt}#${postId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.feed },
    ),
    Follow: new Entity(
      {
        model: { entity: 'Follow', version: '1', service: 'feed' },
        attributes: {
          followerId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          followedId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          since: { type: 'string', required: true, readOnly: true },
        },
        indexes: {
          // followers
          followers: {
            pk: { field: 'PK', composite: ['followedId'], template: 'FOLLOW#${followedId}', casing: 'none' },
            sk: { field: 'SK', composite: ['followerId'], template: '${followerId}', casing: 'none' },
          },
          // following
          following: {
            index: 'GSI1',
            pk: { field: 'GSI1PK', composite: ['followerId'], template: 'FOLLOW#${followerId}', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['followedId'], template: '${followedId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.feed },
    ),
    Like: new Entity(
      {
        model: { entity: 'Like', version: '1', service: 'feed' },
        attributes: {
          postId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          likerId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          at: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          kind: { type: ['LIKE', 'LOVE'] as const, required: true, readOnly: true },
          expires: { type: 'number', required: true, readOnly: true },
          /** The shard of postId and likerId: 0 to 3. Readers ask for each of them. */
          shard: {
            type: 'string',
            hidden: true,
            default: '',
            watch: ['postId', 'likerId'],
            set: (_: string | undefined, item): string => shardOf([item.postId, item.likerId], 4),
          },
        },
        indexes: {
          // likedByMe
          likedByMe: {
            pk: { field: 'PK', composite: ['likerId', 'postId'], template: 'LIKE#${likerId}#${postId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'LIKE', casing: 'none' },
          },
          // likesOfPost
          likesOfPost: {
            index: 'GSI1',
            pk: { field: 'GSI1PK', composite: ['postId', 'shard'], template: 'LIKE#${postId}#${shard}', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['at', 'likerId'], template: '${at}#${likerId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.feed },
    ),
    Post: new Entity(
      {
        model: { entity: 'Post', version: '1', service: 'feed' },
        attributes: {
          postId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          userId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          postedAt: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          body: { type: 'string', required: true },
          // likes is counted in items of its own, which ElectroDB does not write.
        },
        indexes: {
          // postById
          postById: {
            pk: { field: 'PK', composite: ['postId'], template: 'POST#${postId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'POST', casing: 'none' },
          },
          // postsOfUser
          postsOfUser: {
            index: 'GSI1',
            pk: { field: 'GSI1PK', composite: ['userId'], template: 'POST#${userId}', casing: 'none' },
            sk: { field: 'GSI1SK', composite: ['postedAt', 'postId'], template: '${postedAt}#${postId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.feed },
    ),
    Tagged: new Entity(
      {
        model: { entity: 'Tagged', version: '1', service: 'feed' },
        attributes: {
          tag: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          postId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          postedAt: { type: 'string', required: true, readOnly: true, validate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ },
          userId: { type: 'string', required: true, readOnly: true },
        },
        indexes: {
          // byTag
          byTag: {
            pk: { field: 'PK', composite: ['tag'], template: 'TAGGED#${tag}', casing: 'none' },
            sk: { field: 'SK', composite: ['postedAt', 'postId'], template: '${postedAt}#${postId}', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.feed },
    ),
    User: new Entity(
      {
        model: { entity: 'User', version: '1', service: 'feed' },
        attributes: {
          userId: { type: 'string', required: true, readOnly: true, validate: /^[\u0024-\ud7ff\ue000-\u{10fffe}]+$/u },
          handle: { type: 'string', required: true },
          bio: { type: 'string', required: true },
          followers: { type: 'number', required: true },
        },
        indexes: {
          // profile
          profile: {
            pk: { field: 'PK', composite: ['userId'], template: 'USER#${userId}', casing: 'none' },
            sk: { field: 'SK', composite: [], template: 'USER', casing: 'none' },
          },
        },
      },
      { ...configuration, table: tables.feed },
    ),
  };
  // Items tell their kind by the attribute that the rest of the design uses too.
  for (const entity of Object.values(entities)) entity.setIdentifier('entity', '_type');
  return entities;
}
