const shards = 10;
const keyOf = (page, shard) => ({ PK: { S: `COUNT#${page}#${shard}` }, SK: { S: 'COUNT' } });

/** Counts one view of a page. */
export async function add(db, page, random) {
  await db.updateItem({
    TableName: 'app',
    Key: keyOf(page, Math.floor(random() * shards)),
    UpdateExpression: 'ADD #views :one',
    ExpressionAttributeNames: { '#views': 'views' },
    ExpressionAttributeValues: { ':one': { N: '1' } },
  });
}

/** The views of a page. */
export async function total(db, page) {
  const Keys = Array.from({ length: shards }, (_, shard) => keyOf(page, shard));
  const { Responses } = await db.batchGetItem({ RequestItems: { app: { Keys } } });
  return Responses.app.reduce((sum, item) => sum + Number(item.views.N), 0);
}
