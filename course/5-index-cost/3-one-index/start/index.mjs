/** The keys of a thing in GSI1. */
export function indexKeys(kind, thing) {
  switch (kind) {
    case 'user':
      return { GSI1PK: 'USER', GSI1SK: thing.email };
    case 'order':
      return { GSI1PK: `USER#${thing.userId}`, GSI1SK: thing.placedAt };
    case 'member':
      return { GSI1PK: `USER#${thing.userId}`, GSI1SK: `ORG#${thing.orgId}` };
    default:
      throw new Error(`There is no kind ${kind}`);
  }
}

/** The request of a Query on GSI1. */
export function question(name, given) {
  switch (name) {
    case 'user-by-email':
      return ask('GSI1PK = :a AND GSI1SK = :b', { ':a': { S: 'USER' }, ':b': { S: given.email } });
    case 'orders-by-status':
      return ask('GSI1PK = :a', { ':a': { S: `USER#${given.userId}` } });
    case 'members-of-org':
      return ask('GSI1PK = :a', { ':a': { S: `ORG#${given.orgId}` } });
    default:
      throw new Error(`There is no question ${name}`);
  }
}

function ask(KeyConditionExpression, ExpressionAttributeValues) {
  return { TableName: 'app', IndexName: 'GSI1', KeyConditionExpression, ExpressionAttributeValues };
}
