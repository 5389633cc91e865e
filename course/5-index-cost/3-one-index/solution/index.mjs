/** The keys of a thing in GSI1. */
export function indexKeys(kind, thing) {
  switch (kind) {
    case 'user':
      return { GSI1PK: `EMAIL#${thing.email}`, GSI1SK: 'USER' };
    case 'order':
      return { GSI1PK: `USER#${thing.userId}#${thing.status}`, GSI1SK: `${thing.placedAt}#${thing.orderId}` };
    case 'member':
      return { GSI1PK: `ORG#${thing.orgId}`, GSI1SK: `USER#${thing.userId}` };
    default:
      throw new Error(`There is no kind ${kind}`);
  }
}

/** The request of a Query on GSI1. */
export function question(name, given) {
  switch (name) {
    case 'user-by-email':
      return ask(`EMAIL#${given.email}`);
    case 'orders-by-status':
      return { ...ask(`USER#${given.userId}#${given.status}`), ScanIndexForward: false };
    case 'members-of-org':
      return ask(`ORG#${given.orgId}`);
    default:
      throw new Error(`There is no question ${name}`);
  }
}

function ask(partition) {
  return {
    TableName: 'app',
    IndexName: 'GSI1',
    KeyConditionExpression: 'GSI1PK = :partition',
    ExpressionAttributeValues: { ':partition': { S: partition } },
  };
}
