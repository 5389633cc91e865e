/** All unpaid orders of a customer. */
export async function unpaid(db, customer) {
  const { Items } = await db.query({
    TableName: 'app',
    KeyConditionExpression: 'PK = :customer',
    FilterExpression: 'paid = :no',
    ExpressionAttributeValues: { ':customer': { S: customer }, ':no': { BOOL: false } },
  });
  return Items;
}

/** One page of 25 orders, and the cursor of the next one. */
export async function page(db, customer, cursor) {
  const { Items } = await db.query({
    TableName: 'app',
    KeyConditionExpression: 'PK = :customer',
    ExpressionAttributeValues: { ':customer': { S: customer } },
    Limit: 25,
  });
  return { items: Items, cursor };
}
