/** The request of a Query: the orders of a customer in a month such as '2026-06', newest first. */
export function ordersOfMonth(customer, month) {
  return {
    TableName: 'app',
    KeyConditionExpression: 'PK = :customer',
    FilterExpression: 'begins_with(placedOn, :month)',
    ExpressionAttributeValues: {
      ':customer': { S: `CUST#${customer}` },
      ':month': { S: month },
    },
  };
}
