/** Counts one view of a page. */
export async function add(db, page, random) {
  await db.updateItem({
    TableName: 'app',
    Key: { PK: { S: `COUNT#${page}` }, SK: { S: 'COUNT' } },
    UpdateExpression: 'ADD #views :one',
    ExpressionAttributeNames: { '#views': 'views' },
    ExpressionAttributeValues: { ':one': { N: '1' } },
  });
}

/** The views of a page. */
export async function total(db, page) {
  const { Item } = await db.getItem({
    TableName: 'app',
    Key: { PK: { S: `COUNT#${page}` }, SK: { S: 'COUNT' } },
  });
  return Number(Item?.views.N ?? 0);
}
