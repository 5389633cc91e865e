/** Marks a job as done. */
export async function finish(db, jobId) {
  await db.updateItem({
    TableName: 'app',
    Key: { PK: { S: `JOB#${jobId}` }, SK: { S: 'JOB' } },
    UpdateExpression: 'SET #status = :done',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':done': { S: 'DONE' } },
  });
}

/** Opens a job again. */
export async function reopen(db, jobId) {
  throw new Error('reopen is not written yet');
}
