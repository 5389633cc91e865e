/** Gives every old document the keys of GSI1. */
export async function backfill(db, pause) {
  const { Items } = await db.scan({ TableName: 'app' });
  for (const item of Items)
    await db.putItem({
      TableName: 'app',
      Item: { ...item, GSI1PK: { S: `STATUS#${item.status.S}` }, GSI1SK: item.PK },
    });
}
