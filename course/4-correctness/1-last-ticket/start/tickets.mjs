/** Sells one ticket: 'sold' or 'sold out'. */
export async function buy(db, show, customer) {
  const Key = { PK: { S: `SHOW#${show}` }, SK: { S: 'STOCK' } };
  const { Item } = await db.getItem({ TableName: 'app', Key, ConsistentRead: true });
  const available = Number(Item.available.N);
  if (available === 0) return 'sold out';
  await db.updateItem({
    TableName: 'app',
    Key,
    UpdateExpression: 'SET available = :left',
    ExpressionAttributeValues: { ':left': { N: String(available - 1) } },
  });
  return 'sold';
}
