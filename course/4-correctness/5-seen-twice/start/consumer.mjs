const seen = new Set();

/** Counts the order of a record. */
export async function handle(db, { eventId, customer }) {
  if (seen.has(eventId)) return;
  seen.add(eventId);
  await db.updateItem({
    TableName: 'app',
    Key: { PK: { S: `CUST#${customer}` }, SK: { S: 'SUMMARY' } },
    UpdateExpression: 'ADD orders :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
  });
}
