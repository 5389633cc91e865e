/** All unpaid orders of a customer. */
export async function unpaid(db, customer) {
  const found = [];
  let key;
  do {
    const answer = await db.query({
      TableName: 'app',
      KeyConditionExpression: 'PK = :customer',
      FilterExpression: 'paid = :no',
      ExpressionAttributeValues: { ':customer': { S: customer }, ':no': { BOOL: false } },
      ExclusiveStartKey: key,
    });
    found.push(...answer.Items);
    key = answer.LastEvaluatedKey;
  } while (key !== undefined);
  return found;
}

/** One page of 25 orders, and the cursor of the next one. */
export async function page(db, customer, cursor) {
  const { Items, LastEvaluatedKey } = await db.query({
    TableName: 'app',
    KeyConditionExpression: 'PK = :customer',
    ExpressionAttributeValues: { ':customer': { S: customer } },
    Limit: 25,
    ExclusiveStartKey: cursor && JSON.parse(Buffer.from(cursor, 'base64url').toString()),
  });
  return {
    items: Items,
    cursor: LastEvaluatedKey && Buffer.from(JSON.stringify(LastEvaluatedKey)).toString('base64url'),
  };
}
