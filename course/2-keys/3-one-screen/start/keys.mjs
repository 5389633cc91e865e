/** The keys of a thing, one for each copy. */
export function keysOf(kind, thing) {
  switch (kind) {
    case 'customer':
      return [{ PK: `CUST#${thing.customerId}`, SK: 'PROFILE' }];
    case 'order':
      return [{ PK: `ORDER#${thing.orderId}`, SK: 'META' }];
    case 'line':
      return [{ PK: `LINE#${thing.orderId}#${thing.line}`, SK: 'META' }];
    default:
      throw new Error(`There is no kind ${kind}`);
  }
}

/** The customer and the five newest orders. */
export function customerScreen(customerId) {
  return {
    TableName: 'app',
    KeyConditionExpression: 'PK = :pk',
    ExpressionAttributeValues: { ':pk': { S: `CUST#${customerId}` } },
  };
}

/** The order and all its lines. */
export function orderScreen(orderId) {
  return {
    TableName: 'app',
    KeyConditionExpression: 'PK = :pk',
    ExpressionAttributeValues: { ':pk': { S: `ORDER#${orderId}` } },
  };
}
