/** The keys of a thing, one for each copy. */
export function keysOf(kind, thing) {
  switch (kind) {
    case 'customer':
      return [{ PK: `CUST#${thing.customerId}`, SK: 'PROFILE' }];
    case 'order':
      return [
        { PK: `CUST#${thing.customerId}`, SK: `ORDER#${thing.placedAt}#${thing.orderId}` },
        { PK: `ORDER#${thing.orderId}`, SK: 'HEAD' },
      ];
    case 'line':
      return [{ PK: `ORDER#${thing.orderId}`, SK: `LINE#${String(thing.line).padStart(3, '0')}` }];
    default:
      throw new Error(`There is no kind ${kind}`);
  }
}

/** The customer and the five newest orders: PROFILE is the last key of the collection, the newest order is before it. */
export function customerScreen(customerId) {
  return {
    TableName: 'app',
    KeyConditionExpression: 'PK = :pk',
    ExpressionAttributeValues: { ':pk': { S: `CUST#${customerId}` } },
    ScanIndexForward: false,
    Limit: 6,
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
