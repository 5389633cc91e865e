/** Sells one ticket: 'sold' or 'sold out'. */
export async function buy(db, show, customer) {
  try {
    await db.updateItem({
      TableName: 'app',
      Key: { PK: { S: `SHOW#${show}` }, SK: { S: 'STOCK' } },
      UpdateExpression: 'SET available = available - :one',
      ConditionExpression: 'available >= :one',
      ExpressionAttributeValues: { ':one': { N: '1' } },
    });
    return 'sold';
  } catch (error) {
    if (error.name !== 'ConditionalCheckFailedException') throw error;
    return 'sold out';
  }
}
