/** Registers a user: 'registered' or 'email taken'. */
export async function register(db, { userId, email }) {
  const claim = { PK: { S: `EMAIL#${email}` }, SK: { S: 'CLAIM' } };
  const { Item } = await db.getItem({ TableName: 'app', Key: claim, ConsistentRead: true });
  if (Item !== undefined) return 'email taken';
  await db.putItem({ TableName: 'app', Item: { ...claim, userId: { S: userId } } });
  await db.putItem({
    TableName: 'app',
    Item: { PK: { S: `USER#${userId}` }, SK: { S: 'PROFILE' }, email: { S: email } },
  });
  return 'registered';
}
