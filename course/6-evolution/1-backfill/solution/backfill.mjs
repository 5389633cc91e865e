/** Gives every old document the keys of GSI1. */
export async function backfill(db, pause) {
  let key;
  do {
    const page = await db.scan({
      TableName: 'app',
      FilterExpression: 'attribute_not_exists(GSI1PK)',
      Limit: 20,
      ExclusiveStartKey: key,
    });
    for (const item of page.Items) await addKeys(db, item);
    key = page.LastEvaluatedKey;
    await pause(1000);
  } while (key !== undefined);
}

async function addKeys(db, { PK, SK, status }) {
  try {
    await db.updateItem({
      TableName: 'app',
      Key: { PK, SK },
      UpdateExpression: 'SET GSI1PK = :partition, GSI1SK = :sort',
      ConditionExpression: 'attribute_not_exists(GSI1PK) AND #status = :seen',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':partition': { S: `STATUS#${status.S}` }, ':sort': PK, ':seen': status },
    });
  } catch (error) {
    // The program was faster, and has set the keys itself.
    if (error.name !== 'ConditionalCheckFailedException') throw error;
  }
}
