/** Marks a job as done. */
export async function finish(db, jobId) {
  await db.updateItem({
    TableName: 'app',
    Key: { PK: { S: `JOB#${jobId}` }, SK: { S: 'JOB' } },
    UpdateExpression: 'SET #status = :done REMOVE GSI1PK, GSI1SK',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':done': { S: 'DONE' } },
  });
}

/** Opens a job again. */
export async function reopen(db, jobId) {
  await db.updateItem({
    TableName: 'app',
    Key: { PK: { S: `JOB#${jobId}` }, SK: { S: 'JOB' } },
    UpdateExpression: 'SET #status = :open, GSI1PK = :open, GSI1SK = createdAt',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':open': { S: 'OPEN' } },
  });
}
