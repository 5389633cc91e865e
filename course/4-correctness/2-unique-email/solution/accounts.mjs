/** Registers a user: 'registered' or 'email taken'. */
export async function register(db, { userId, email }) {
  const user = { PK: { S: `USER#${userId}` }, SK: { S: 'PROFILE' }, email: { S: email } };
  const claim = { PK: { S: `EMAIL#${email}` }, SK: { S: 'CLAIM' }, userId: { S: userId } };
  try {
    await db.transactWriteItems({
      TransactItems: [
        { Put: { TableName: 'app', Item: user, ConditionExpression: 'attribute_not_exists(PK)' } },
        { Put: { TableName: 'app', Item: claim, ConditionExpression: 'attribute_not_exists(PK)' } },
      ],
    });
    return 'registered';
  } catch (error) {
    if (error.CancellationReasons?.[1]?.Code === 'ConditionalCheckFailed') return 'email taken';
    throw error;
  }
}
