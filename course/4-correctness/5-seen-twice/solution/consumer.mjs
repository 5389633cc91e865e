/** Counts the order of a record. */
export async function handle(db, { eventId, customer }) {
  const marker = { PK: { S: `EVENT#${eventId}` }, SK: { S: 'SEEN' } };
  try {
    await db.transactWriteItems({
      TransactItems: [
        { Put: { TableName: 'app', Item: marker, ConditionExpression: 'attribute_not_exists(PK)' } },
        {
          Update: {
            TableName: 'app',
            Key: { PK: { S: `CUST#${customer}` }, SK: { S: 'SUMMARY' } },
            UpdateExpression: 'ADD orders :one',
            ExpressionAttributeValues: { ':one': { N: '1' } },
          },
        },
      ],
    });
  } catch (error) {
    if (error.CancellationReasons?.[0]?.Code !== 'ConditionalCheckFailed') throw error;
  }
}
