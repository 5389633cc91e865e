/** Takes money from an account, once for each command. */
export async function pay(db, { commandId, account, amount }) {
  const command = { PK: { S: `COMMAND#${commandId}` }, SK: { S: 'COMMAND' }, amount: { N: String(amount) } };
  try {
    await db.transactWriteItems({
      TransactItems: [
        { Put: { TableName: 'app', Item: command, ConditionExpression: 'attribute_not_exists(PK)' } },
        {
          Update: {
            TableName: 'app',
            Key: { PK: { S: `ACCOUNT#${account}` }, SK: { S: 'BALANCE' } },
            UpdateExpression: 'SET balance = balance - :amount',
            ConditionExpression: 'balance >= :amount',
            ExpressionAttributeValues: { ':amount': { N: String(amount) } },
          },
        },
      ],
    });
    return { commandId, amount };
  } catch (error) {
    const [remembered, balance] = error.CancellationReasons ?? [];
    if (remembered?.Code === 'ConditionalCheckFailed') return { commandId, amount };
    if (balance?.Code === 'ConditionalCheckFailed') return { commandId, refused: true };
    throw error;
  }
}
