/** Takes money from an account, once for each command. */
export async function pay(db, { commandId, account, amount }) {
  try {
    await db.updateItem({
      TableName: 'app',
      Key: { PK: { S: `ACCOUNT#${account}` }, SK: { S: 'BALANCE' } },
      UpdateExpression: 'SET balance = balance - :amount',
      ConditionExpression: 'balance >= :amount',
      ExpressionAttributeValues: { ':amount': { N: String(amount) } },
    });
    return { commandId, amount };
  } catch (error) {
    if (error.name === 'ConditionalCheckFailedException') return { commandId, refused: true };
    throw error;
  }
}
