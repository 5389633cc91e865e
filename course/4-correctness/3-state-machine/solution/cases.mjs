const steps = { DRAFT: ['REVIEW'], REVIEW: ['APPROVED', 'DRAFT'], APPROVED: [] };

/** Moves a case: 'moved', 'not allowed' or 'too late'. */
export async function move(db, caseId, from, to) {
  if (!steps[from]?.includes(to)) return 'not allowed';
  const Key = { PK: { S: `CASE#${caseId}` }, SK: { S: 'CASE' } };
  const { Item } = await db.getItem({ TableName: 'app', Key, ConsistentRead: true });
  if (Item?.state.S !== from) return 'too late';
  const next = Number(Item.version.N) + 1;
  const event = {
    PK: Key.PK,
    SK: { S: `EVENT#${String(next).padStart(4, '0')}` },
    from: { S: from },
    to: { S: to },
  };
  try {
    await db.transactWriteItems({
      TransactItems: [
        {
          Update: {
            TableName: 'app',
            Key,
            UpdateExpression: 'SET #state = :to, version = :next',
            ConditionExpression: '#state = :from AND version = :version',
            ExpressionAttributeNames: { '#state': 'state' },
            ExpressionAttributeValues: {
              ':from': { S: from },
              ':to': { S: to },
              ':version': Item.version,
              ':next': { N: String(next) },
            },
          },
        },
        { Put: { TableName: 'app', Item: event, ConditionExpression: 'attribute_not_exists(PK)' } },
      ],
    });
    return 'moved';
  } catch (error) {
    if (error.name === 'TransactionCanceledException') return 'too late';
    throw error;
  }
}
