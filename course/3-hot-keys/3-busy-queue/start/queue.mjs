/** The keys by which an open job is in the index. */
export function indexKeys({ jobId, createdAt }) {
  return { GSI1PK: 'OPEN', GSI1SK: `${createdAt}#${jobId}` };
}

/** The oldest open jobs, oldest first. */
export async function oldestOpen(db, count) {
  const { Items } = await db.query({
    TableName: 'app',
    IndexName: 'GSI1',
    KeyConditionExpression: 'GSI1PK = :open',
    ExpressionAttributeValues: { ':open': { S: 'OPEN' } },
    Limit: count,
  });
  return Items;
}
