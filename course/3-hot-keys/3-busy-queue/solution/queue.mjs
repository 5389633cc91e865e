import { createHash } from 'node:crypto';

const shards = 10;
const shardOf = (jobId) =>
  Number(BigInt(`0x${createHash('md5').update(jobId).digest('hex')}`) % BigInt(shards));

/** The keys by which an open job is in the index. */
export function indexKeys({ jobId, createdAt }) {
  return { GSI1PK: `OPEN#${shardOf(jobId)}`, GSI1SK: `${createdAt}#${jobId}` };
}

/** The oldest open jobs, oldest first. */
export async function oldestOpen(db, count) {
  const answers = await Promise.all(
    Array.from({ length: shards }, (_, shard) =>
      db.query({
        TableName: 'app',
        IndexName: 'GSI1',
        KeyConditionExpression: 'GSI1PK = :open',
        ExpressionAttributeValues: { ':open': { S: `OPEN#${shard}` } },
        Limit: count,
      }),
    ),
  );
  return answers
    .flatMap(({ Items }) => Items)
    .sort((a, b) => (a.GSI1SK.S < b.GSI1SK.S ? -1 : 1))
    .slice(0, count);
}
